#ifndef VAD_NETWORK_H
#define VAD_NETWORK_H

#include <stddef.h>

#include "voice_realtime.h"
#include "voice_vad.h"

// Silero VAD v6 at 16 kHz: a short-time Fourier transform written as a convolution, four
// convolutions, one LSTM cell, one output. Sizes as in the tensors of its weights.
enum {
  VAD_CONTEXT_SAMPLES = 64, // of the window before, put in front of each window
  VAD_REFLECTED_SAMPLES = 64,
  VAD_TAPS = 256,
  VAD_HOP = 128,
  VAD_COLUMNS = 4, // short-time spectra in one window
  VAD_BINS = 129,
  VAD_HIDDEN = 128,
  VAD_LANES = 16, // outputs that lie side by side in packed weights
};

/// A dense layer: `outputs` sums over `inputs` values. Weights are packed in panels of VAD_LANES
/// outputs: panel, then input, then lane; unused lanes of the last panel are zero.
typedef struct {
  size_t inputs;
  size_t outputs;
  float *weights;
  float *bias;
} vad_layer;

/// Applies a layer to `columns` (1, 2 or 4) inputs that begin `in_step` values apart.
typedef void (*vad_dense)(const vad_layer *layer, size_t columns, const float *in, size_t in_step,
                          float *out, size_t out_step) VD_NONBLOCKING;

struct vd_vad_weights {
  vad_layer stft;
  vad_layer conv1;
  vad_layer conv2;
  vad_layer conv3;
  vad_layer conv4;
  vad_layer lstm; // inputs: the cell's input, then its hidden state; outputs: gates i, f, g, o
  float final_weights[VAD_HIDDEN];
  float final_bias;
  vad_dense dense; // the kernel that fits this processor
};

/// What one stream carries from window to window.
typedef struct {
  float context[VAD_CONTEXT_SAMPLES];
  float hidden[VAD_HIDDEN];
  float cell[VAD_HIDDEN];
} vad_network_state;

/// Number of floats a layer's packed weights take.
static inline size_t vad_layer_weight_count(const vad_layer *layer) {
  return (layer->outputs + VAD_LANES - 1) / VAD_LANES * VAD_LANES * layer->inputs;
}

/// The fastest kernel this processor runs. Role: any.
vad_dense vd_vad_dense_select(void);

/// Probability of speech in the next window.
float vd_vad_network_process(const vd_vad_weights *weights, vad_network_state *state,
                             const float *window) VD_NONBLOCKING;

#endif
