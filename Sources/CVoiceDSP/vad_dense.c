#include <assert.h>
#include <string.h>

#include "vad_network.h"

// Eight sums side by side: one register with AVX, two with SSE or NEON. The compiler may not
// reorder a single float sum, so the lanes run over outputs and each sum keeps its order.
typedef float lanes __attribute__((vector_size(32)));
enum { LANES = sizeof(lanes) / sizeof(float), HALVES = VAD_LANES / LANES };

#define ALWAYS_INLINE inline __attribute__((always_inline))

/// The shape of what is held in registers at once, known at compile time.
typedef struct {
  size_t columns; // inputs
  size_t panels;
  size_t halves; // eights of each panel's outputs
} block;

enum { BLOCK_COLUMNS_MAX = 4, BLOCK_PANELS_MAX = 4 };

/// Applies the panels from `panel` on, as many as the block holds.
static ALWAYS_INLINE void apply_block(const vad_layer *layer, size_t panel, const block shape,
                                      const float *in, size_t in_step, float *out,
                                      size_t out_step) VD_NONBLOCKING {
  const size_t stride = VAD_LANES * layer->inputs;
  for (size_t first = 0; first < HALVES; first += shape.halves) {
    const float *weights = layer->weights + panel * stride + first * LANES;
    const size_t output = panel * VAD_LANES + first * LANES;
    lanes sums[BLOCK_PANELS_MAX][BLOCK_COLUMNS_MAX][HALVES];
    for (size_t p = 0; p < shape.panels; p++) {
      for (size_t column = 0; column < shape.columns; column++) {
        for (size_t half = 0; half < shape.halves; half++) {
          memcpy(&sums[p][column][half], layer->bias + output + p * VAD_LANES + half * LANES,
                 sizeof(lanes));
        }
      }
    }
    for (size_t input = 0; input < layer->inputs; input++) {
      for (size_t p = 0; p < shape.panels; p++) {
        for (size_t half = 0; half < shape.halves; half++) {
          lanes weight;
          memcpy(&weight, weights + p * stride + input * VAD_LANES + half * LANES, sizeof weight);
          for (size_t column = 0; column < shape.columns; column++) {
            sums[p][column][half] += weight * in[column * in_step + input];
          }
        }
      }
    }
    for (size_t p = 0; p < shape.panels; p++) {
      for (size_t column = 0; column < shape.columns; column++) {
        for (size_t half = 0; half < shape.halves; half++) {
          memcpy(out + column * out_step + output + p * VAD_LANES + half * LANES,
                 &sums[p][column][half], sizeof(lanes));
        }
      }
    }
  }
}

static ALWAYS_INLINE void apply(const vad_layer *layer, const block shape, const float *in,
                                size_t in_step, float *out, size_t out_step) VD_NONBLOCKING {
  const size_t panels = (layer->outputs + VAD_LANES - 1) / VAD_LANES;
  assert(panels % shape.panels == 0);
  for (size_t panel = 0; panel < panels; panel += shape.panels) {
    apply_block(layer, panel, shape, in, in_step, out, out_step);
  }
}

// Eight vectors of sums in flight hide the latency of multiply and add; twice as many registers of
// half the width come to the same without AVX, where a block is half as large.

static void dense_baseline(const vad_layer *layer, size_t columns, const float *in, size_t in_step,
                           float *out, size_t out_step) VD_NONBLOCKING {
  assert(columns == 1 || columns == 2 || columns == 4);
  if (columns == 1) {
    apply(layer, (block){.columns = 1, .panels = 2, .halves = 2}, in, in_step, out, out_step);
  } else if (columns == 2) {
    apply(layer, (block){.columns = 2, .panels = 1, .halves = 2}, in, in_step, out, out_step);
  } else {
    apply(layer, (block){.columns = 4, .panels = 1, .halves = 1}, in, in_step, out, out_step);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void dense_avx2(const vad_layer *layer, size_t columns,
                                                           const float *in, size_t in_step,
                                                           float *out,
                                                           size_t out_step) VD_NONBLOCKING {
  assert(columns == 1 || columns == 2 || columns == 4);
  if (columns == 1) {
    apply(layer, (block){.columns = 1, .panels = 4, .halves = 2}, in, in_step, out, out_step);
  } else if (columns == 2) {
    apply(layer, (block){.columns = 2, .panels = 2, .halves = 2}, in, in_step, out, out_step);
  } else {
    apply(layer, (block){.columns = 4, .panels = 1, .halves = 2}, in, in_step, out, out_step);
  }
}
#endif

vad_dense vd_vad_dense_select(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return dense_avx2;
  }
#endif
  return dense_baseline;
}
