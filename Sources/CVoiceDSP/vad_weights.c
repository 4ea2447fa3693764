#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "safetensors.h"
#include "vad_network.h"

// A convolution over three rows. Where the network's rows end, some taps only ever meet padding:
// they are left out of the packed weights.
enum { CONVOLUTION_TAPS = 3 };

static float read_float(const char *data, size_t index) {
  float value = 0;
  memcpy(&value, data + index * sizeof value, sizeof value);
  return value;
}

/// What is missing when packing fails: NULL for memory.
typedef struct {
  const safetensors *file;
  const char *missing;
} loader;

static const char *find(loader *from, const char *name, const char *shape, size_t count) {
  const char *data = vd_safetensors_find(from->file, name, shape, count);
  if (data == NULL) {
    from->missing = name;
  }
  return data;
}

static int allocate(vad_layer *layer, size_t inputs, size_t outputs) {
  layer->inputs = inputs;
  layer->outputs = outputs;
  const size_t count = vad_layer_weight_count(layer);
  const size_t padded_outputs = count / inputs;
  layer->weights = aligned_alloc(64, count * sizeof(float));
  layer->bias = aligned_alloc(64, padded_outputs * sizeof(float));
  if (layer->weights == NULL || layer->bias == NULL) {
    return -ENOMEM;
  }
  memset(layer->weights, 0, count * sizeof(float));
  memset(layer->bias, 0, padded_outputs * sizeof(float));
  return 0;
}

static float *packed(const vad_layer *layer, size_t output, size_t input) {
  return layer->weights + (output / VAD_LANES * layer->inputs + input) * VAD_LANES +
         output % VAD_LANES;
}

/// Packs taps `first_tap ..< first_tap + taps` of a convolution; inputs run tap by tap, channel by
/// channel, as the rows lie in memory.
static int load_convolution(vad_layer *layer, loader *from, int number, size_t channels,
                            size_t outputs, size_t first_tap, size_t taps) {
  char weight_name[32];
  char bias_name[32];
  char shape[32];
  char bias_shape[32];
  (void)snprintf(weight_name, sizeof weight_name, "conv%d.weight", number);
  (void)snprintf(bias_name, sizeof bias_name, "conv%d.bias", number);
  (void)snprintf(shape, sizeof shape, "[%zu,%zu,%d]", outputs, channels, CONVOLUTION_TAPS);
  (void)snprintf(bias_shape, sizeof bias_shape, "[%zu]", outputs);
  const char *weights =
      vd_safetensors_find(from->file, weight_name, shape, outputs * channels * CONVOLUTION_TAPS);
  const char *bias = vd_safetensors_find(from->file, bias_name, bias_shape, outputs);
  if (weights == NULL || bias == NULL) {
    static const char *const names[] = {"conv1", "conv2", "conv3", "conv4"};
    from->missing = names[number - 1];
    return -EINVAL;
  }
  const int result = allocate(layer, taps * channels, outputs);
  if (result != 0) {
    return result;
  }
  for (size_t output = 0; output < outputs; output++) {
    layer->bias[output] = read_float(bias, output);
    for (size_t tap = 0; tap < taps; tap++) {
      for (size_t channel = 0; channel < channels; channel++) {
        const size_t index = (output * channels + channel) * CONVOLUTION_TAPS + first_tap + tap;
        *packed(layer, output, tap * channels + channel) = read_float(weights, index);
      }
    }
  }
  return 0;
}

static int load_stft(vad_layer *layer, loader *from) {
  const size_t outputs = 2 * VAD_BINS;
  const char *weights = find(from, "stft_conv.weight", "[258,1,256]", outputs * VAD_TAPS);
  if (weights == NULL) {
    return -EINVAL;
  }
  const int result = allocate(layer, VAD_TAPS, outputs);
  if (result != 0) {
    return result;
  }
  for (size_t output = 0; output < outputs; output++) {
    for (size_t tap = 0; tap < VAD_TAPS; tap++) {
      *packed(layer, output, tap) = read_float(weights, output * VAD_TAPS + tap);
    }
  }
  return 0;
}

/// The cell's two matrices side by side as one layer, its two biases summed.
static int load_lstm(vad_layer *layer, loader *from) {
  const size_t gates = 4 * VAD_HIDDEN;
  const char *input = find(from, "lstm_cell.weight_ih", "[512,128]", gates * VAD_HIDDEN);
  const char *hidden = find(from, "lstm_cell.weight_hh", "[512,128]", gates * VAD_HIDDEN);
  const char *input_bias = find(from, "lstm_cell.bias_ih", "[512]", gates);
  const char *hidden_bias = find(from, "lstm_cell.bias_hh", "[512]", gates);
  if (input == NULL || hidden == NULL || input_bias == NULL || hidden_bias == NULL) {
    return -EINVAL;
  }
  const int result = allocate(layer, 2 * VAD_HIDDEN, gates);
  if (result != 0) {
    return result;
  }
  for (size_t gate = 0; gate < gates; gate++) {
    layer->bias[gate] = read_float(input_bias, gate) + read_float(hidden_bias, gate);
    for (size_t i = 0; i < VAD_HIDDEN; i++) {
      *packed(layer, gate, i) = read_float(input, gate * VAD_HIDDEN + i);
      *packed(layer, gate, VAD_HIDDEN + i) = read_float(hidden, gate * VAD_HIDDEN + i);
    }
  }
  return 0;
}

static int load_final(vd_vad_weights *weights, loader *from) {
  const char *final = find(from, "final_conv.weight", "[1,128,1]", VAD_HIDDEN);
  const char *bias = find(from, "final_conv.bias", "[1]", 1);
  if (final == NULL || bias == NULL) {
    return -EINVAL;
  }
  memcpy(weights->final_weights, final, sizeof weights->final_weights);
  weights->final_bias = read_float(bias, 0);
  return 0;
}

static int load_all(vd_vad_weights *weights, loader *from) {
  int result = load_stft(&weights->stft, from);
  if (result == 0) {
    result = load_convolution(&weights->conv1, from, 1, VAD_BINS, 128, 0, 3);
  }
  if (result == 0) {
    result = load_convolution(&weights->conv2, from, 2, 128, 64, 0, 3);
  }
  if (result == 0) {
    result = load_convolution(&weights->conv3, from, 3, 64, 64, 1, 2);
  }
  if (result == 0) {
    result = load_convolution(&weights->conv4, from, 4, 64, 128, 1, 1);
  }
  if (result == 0) {
    result = load_lstm(&weights->lstm, from);
  }
  if (result == 0) {
    result = load_final(weights, from);
  }
  return result;
}

/// Writes the sentence of a failed load.
static void explain(char *error, size_t error_bytes, const char *path, int result,
                    const char *missing) {
  if (error == NULL || error_bytes == 0) {
    return;
  }
  if (result == -EINVAL && missing != NULL) {
    (void)snprintf(
        error, error_bytes,
        "The speech detector's weights %s are not the 16 kHz model of silero-vad 6: tensor "
        "'%s' is missing or has another shape. Delete the file and run 'make setup'.",
        path, missing);
  } else if (result == -EINVAL) {
    (void)snprintf(error, error_bytes,
                   "The speech detector's weights %s are no safetensors file. Delete the file and "
                   "run 'make setup'.",
                   path);
  } else if (result == -ENOENT) {
    (void)snprintf(error, error_bytes,
                   "The speech detector's weights %s do not exist. Run 'make setup' to fetch them.",
                   path);
  } else {
    (void)snprintf(error, error_bytes, "The speech detector's weights %s cannot be read: %s.", path,
                   strerror(-result));
  }
}

int vd_vad_weights_load(vd_vad_weights **out, const char *path, char *error, size_t error_bytes) {
  if (out == NULL || path == NULL) {
    return -EINVAL;
  }
  *out = NULL;
  safetensors file;
  int result = vd_safetensors_read(&file, path);
  loader from = {.file = &file, .missing = NULL};
  vd_vad_weights *weights = NULL;
  if (result == 0) {
    weights = calloc(1, sizeof *weights);
    result = weights == NULL ? -ENOMEM : load_all(weights, &from);
    vd_safetensors_free(&file);
  }
  if (result != 0) {
    explain(error, error_bytes, path, result, from.missing);
    vd_vad_weights_release(weights);
    return result;
  }
  weights->dense = vd_vad_dense_select();
  *out = weights;
  return 0;
}

void vd_vad_weights_release(vd_vad_weights *weights) {
  if (weights == NULL) {
    return;
  }
  vad_layer *const layers[] = {&weights->stft,  &weights->conv1, &weights->conv2,
                               &weights->conv3, &weights->conv4, &weights->lstm};
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
    free(layers[i]->weights);
    free(layers[i]->bias);
  }
  free(weights);
}
