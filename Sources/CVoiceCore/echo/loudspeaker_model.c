#include "loudspeaker_model.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// The first shape is the straight line. Then come odd ones: what lies above a threshold, with its
/// sign; 4 dB from one to the next.
#define ODD_SHAPES 6
#define FIRST_THRESHOLD 0.04f
#define THRESHOLD_STEP 1.6f
/// Shapes that are even: the square, and what lies above a threshold, without its sign.
#define SQUARE (ODD_SHAPES + 1)
#define SHAPES (ODD_SHAPES + 3)
#define EVEN_THRESHOLD 0.1f
#define SQUARE_SCALE 4.0f
/// What a block still counts for in the next: a memory of 3 s of loud speech.
#define MEMORY 0.997f
/// How certainly the loudspeaker is taken for straight before anything is known.
#define BENT_PRIOR 2000.0f
/// The least share of the straight line that is believed.
#define STRAIGHT_LEAST 0.2f
#define STRAIGHT_PRIOR 1.0f
#define WEIGHT_MAX 2.0f
/// Bins that are looked at: 125 Hz to 7 kHz.
#define FIRST_BIN 4
#define LAST_BIN 224
#define HISTORY VC_LOUDSPEAKER_HISTORY

struct vc_loudspeaker {
  float past[SHAPES][VC_TRANSFORM_SIZE];
  vc_spectrum history[SHAPES][HISTORY];
  int quiet[SHAPES]; ///< blocks for which the shape was nothing
  int newest;
  float weights[SHAPES];
  float information[SHAPES][SHAPES];
  float evidence[SHAPES];
  vc_spectrum echo[SHAPES]; ///< of each shape alone
};

int vc_loudspeaker_create(vc_loudspeaker **out) {
  vc_loudspeaker *loudspeaker = calloc(1, sizeof *loudspeaker);
  if (!loudspeaker)
    return -ENOMEM;
  loudspeaker->weights[0] = 1;
  for (int i = 0; i < SHAPES; i++)
    loudspeaker->quiet[i] = 2 * HISTORY;
  *out = loudspeaker;
  return 0;
}

void vc_loudspeaker_destroy(vc_loudspeaker *loudspeaker) {
  free(loudspeaker);
}

void vc_loudspeaker_forget(vc_loudspeaker *l) VD_NONBLOCKING {
  memset(l->weights, 0, sizeof l->weights);
  memset(l->information, 0, sizeof l->information);
  memset(l->evidence, 0, sizeof l->evidence);
  l->weights[0] = 1;
}

/// Writes one shape of the block. Result: its power.
static float bend(int shape, const float *block, float *out) VD_NONBLOCKING {
  float threshold = FIRST_THRESHOLD, power = 0;
  for (int i = 1; i < shape && i < ODD_SHAPES; i++)
    threshold *= THRESHOLD_STEP;
  for (int i = 0; i < VC_ECHO_BLOCK; i++) {
    float x = block[i], above = fmaxf(fabsf(x) - threshold, 0);
    if (shape == 0)
      above = fabsf(x);
    else if (shape == SQUARE)
      above = SQUARE_SCALE * x * x;
    else if (shape > SQUARE)
      above = fmaxf(fabsf(x) - EVEN_THRESHOLD, 0);
    out[i] = shape < SQUARE ? copysignf(above, x) : above;
    power += above * above;
  }
  return power;
}

void vc_loudspeaker_play(vc_loudspeaker *l, const vc_transform *transform, const float *block,
                         float *out) VD_NONBLOCKING {
  const size_t kept = VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  float bent[VC_ECHO_BLOCK] = {0};
  l->newest = (l->newest + HISTORY - 1) % HISTORY;
  for (int s = 0; s < SHAPES; s++) {
    float *past = l->past[s];
    memmove(past, past + VC_ECHO_BLOCK, kept * sizeof *past);
    bool is_quiet = bend(s, block, past + kept) < 1e-9f;
    l->quiet[s] = is_quiet ? l->quiet[s] + (l->quiet[s] < 2 * HISTORY) : 0;
    for (int i = 0; i < VC_ECHO_BLOCK; i++)
      bent[i] += l->weights[s] * past[kept + (size_t)i];
    if (l->quiet[s] < HISTORY + 4)
      vc_transform_forward(transform, past, &l->history[s][l->newest]);
  }
  memcpy(out, bent, sizeof bent);
}

/// The echo of one shape in the last block, as the room's filter sees it.
static void echo_of(vc_loudspeaker *l, const vc_transform *transform, int shape,
                    const vc_spectrum *filter, int partitions, int stride) VD_NONBLOCKING {
  vc_spectrum y = {0};
  for (int p = 0; p < partitions; p++) {
    const vc_spectrum *w = &filter[p];
    const vc_spectrum *x = &l->history[shape][(l->newest + p * stride) % HISTORY];
    for (int k = 0; k < VC_TRANSFORM_ROOM; k++) {
      y.re[k] += w->re[k] * x->re[k] - w->im[k] * x->im[k];
      y.im[k] += w->re[k] * x->im[k] + w->im[k] * x->re[k];
    }
  }
  float samples[VC_TRANSFORM_SIZE];
  vc_transform_inverse(transform, &y, samples);
  memset(samples, 0, (VC_TRANSFORM_SIZE - VC_ECHO_BLOCK) * sizeof *samples);
  vc_transform_forward(transform, samples, &l->echo[shape]);
}

static float product(const vc_spectrum *a, const vc_spectrum *b,
                     const float *certainty) VD_NONBLOCKING {
  float sum[4] = {0};
  for (int k = FIRST_BIN; k < LAST_BIN; k += 4)
    for (int lane = 0; lane < 4; lane++) {
      int i = k + lane;
      sum[lane] += certainty[i] * (a->re[i] * b->re[i] + a->im[i] * b->im[i]);
    }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

/// Solves (information + prior) weights = evidence by Cholesky's way.
static void solve(vc_loudspeaker *l) VD_NONBLOCKING {
  float root[SHAPES][SHAPES], half[SHAPES], found[SHAPES];
  for (int i = 0; i < SHAPES; i++)
    for (int j = 0; j <= i; j++) {
      float sum = l->information[i][j] + (i != j ? 0 : i == 0 ? STRAIGHT_PRIOR : BENT_PRIOR);
      for (int k = 0; k < j; k++)
        sum -= root[i][k] * root[j][k];
      root[i][j] = i == j ? sqrtf(fmaxf(sum, 1e-3f)) : sum / root[j][j];
    }
  for (int i = 0; i < SHAPES; i++) {
    float sum = l->evidence[i] + (i == 0 ? STRAIGHT_PRIOR : 0);
    for (int k = 0; k < i; k++)
      sum -= root[i][k] * half[k];
    half[i] = sum / root[i][i];
  }
  for (int i = SHAPES - 1; i >= 0; i--) {
    float sum = half[i];
    for (int k = i + 1; k < SHAPES; k++)
      sum -= root[k][i] * found[k];
    found[i] = sum / root[i][i];
  }
  // How loud all of it is, is the room's affair.
  if (!(found[0] > STRAIGHT_LEAST))
    return;
  for (int i = 1; i < SHAPES; i++)
    l->weights[i] = fminf(fmaxf(found[i] / found[0], -WEIGHT_MAX), WEIGHT_MAX);
}

void vc_loudspeaker_learn(vc_loudspeaker *l, const vc_transform *transform,
                          const vc_spectrum *filter, int partitions, int stride,
                          const vc_spectrum *left, const float *certainty) VD_NONBLOCKING {
  int active[SHAPES], count = 0;
  for (int s = 0; s < SHAPES; s++)
    if (l->quiet[s] < HISTORY)
      active[count++] = s;
  if (count == 0)
    return;
  vc_spectrum target = *left;
  for (int i = 0; i < count; i++) {
    int s = active[i];
    echo_of(l, transform, s, filter, partitions, stride);
    for (int k = 0; k < VC_TRANSFORM_ROOM; k++) {
      target.re[k] += l->weights[s] * l->echo[s].re[k];
      target.im[k] += l->weights[s] * l->echo[s].im[k];
    }
  }
  for (int i = 0; i < SHAPES; i++) {
    l->evidence[i] *= MEMORY;
    for (int j = 0; j <= i; j++)
      l->information[i][j] *= MEMORY;
  }
  for (int i = 0; i < count; i++) {
    const vc_spectrum *echo = &l->echo[active[i]];
    l->evidence[active[i]] += product(echo, &target, certainty);
    for (int j = 0; j <= i; j++)
      l->information[active[i]][active[j]] += product(echo, &l->echo[active[j]], certainty);
  }
  solve(l);
}
