#include "vad_network.h"

#include <math.h>
#include <string.h>

// Outputs are written in whole panels: room for the last one's unused lanes.
enum { STFT_ROOM = (2 * VAD_BINS + VAD_LANES - 1) / VAD_LANES * VAD_LANES };

static void rectify(float *values, size_t count) VD_NONBLOCKING {
  for (size_t i = 0; i < count; i++) {
    values[i] = values[i] > 0 ? values[i] : 0;
  }
}

static float sigmoid(float x) VD_NONBLOCKING {
  return 1.0f / (1.0f + expf(-x));
}

/// Magnitudes of the window's four spectra, in rows one after the other.
static void spectra(const vd_vad_weights *weights, const float *context, const float *window,
                    float *rows) VD_NONBLOCKING {
  enum { LENGTH = VAD_CONTEXT_SAMPLES + VD_VAD_WINDOW_SAMPLES };
  float samples[LENGTH + VAD_REFLECTED_SAMPLES];
  memcpy(samples, context, VAD_CONTEXT_SAMPLES * sizeof(float));
  memcpy(samples + VAD_CONTEXT_SAMPLES, window, VD_VAD_WINDOW_SAMPLES * sizeof(float));
  for (size_t i = 0; i < VAD_REFLECTED_SAMPLES; i++) {
    samples[LENGTH + i] = samples[LENGTH - 2 - i];
  }
  float parts[VAD_COLUMNS][STFT_ROOM];
  weights->dense(&weights->stft, VAD_COLUMNS, samples, VAD_HOP, parts[0], STFT_ROOM);
  for (size_t column = 0; column < VAD_COLUMNS; column++) {
    const float *real = parts[column];
    const float *imaginary = parts[column] + VAD_BINS;
    for (size_t bin = 0; bin < VAD_BINS; bin++) {
      rows[column * VAD_BINS + bin] =
          sqrtf(real[bin] * real[bin] + imaginary[bin] * imaginary[bin]);
    }
  }
}

/// One step of the LSTM cell; `joined` holds its input, then room for the hidden state.
static void advance(const vd_vad_weights *weights, vad_network_state *state,
                    float joined[2 * VAD_HIDDEN]) VD_NONBLOCKING {
  memcpy(joined + VAD_HIDDEN, state->hidden, sizeof state->hidden);
  float gates[4][VAD_HIDDEN];
  weights->dense(&weights->lstm, 1, joined, 0, gates[0], 0);
  for (size_t i = 0; i < VAD_HIDDEN; i++) {
    state->cell[i] =
        sigmoid(gates[1][i]) * state->cell[i] + sigmoid(gates[0][i]) * tanhf(gates[2][i]);
    state->hidden[i] = sigmoid(gates[3][i]) * tanhf(state->cell[i]);
  }
}

float vd_vad_network_process(const vd_vad_weights *weights, vad_network_state *state,
                             const float *window) VD_NONBLOCKING {
  // Rows lie one after the other with a row of zeros before and after, so that the three rows a
  // convolution meets are one run of memory.
  float spectrum[VAD_COLUMNS + 2][VAD_BINS] = {0};
  spectra(weights, state->context, window, spectrum[1]);
  memcpy(state->context, window + VD_VAD_WINDOW_SAMPLES - VAD_CONTEXT_SAMPLES,
         sizeof state->context);

  float first[VAD_COLUMNS + 1][128] = {0};
  weights->dense(&weights->conv1, 4, spectrum[0], VAD_BINS, first[1], 128);
  rectify(first[1], VAD_COLUMNS * 128);

  float second[2][64];
  weights->dense(&weights->conv2, 2, first[0], 2 * 128, second[0], 64);
  rectify(second[0], 2 * 64);

  float third[64];
  weights->dense(&weights->conv3, 1, second[0], 0, third, 0);
  rectify(third, 64);

  float joined[2 * VAD_HIDDEN];
  weights->dense(&weights->conv4, 1, third, 0, joined, 0);
  rectify(joined, VAD_HIDDEN);

  advance(weights, state, joined);

  float sum = weights->final_bias;
  for (size_t i = 0; i < VAD_HIDDEN; i++) {
    sum += weights->final_weights[i] * (state->hidden[i] > 0 ? state->hidden[i] : 0);
  }
  return sigmoid(sum);
}
