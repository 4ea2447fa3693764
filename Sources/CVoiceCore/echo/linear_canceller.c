#include "linear_canceller.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS VC_TRANSFORM_ROOM
#define P VC_PARTITIONS
/// Blocks between two partitions, and spectra of the reference that are kept.
#define STRIDE (VC_PARTITION / VC_ECHO_BLOCK)
#define HISTORY (P * STRIDE)
/// Share of a transform that a block of the microphone fills.
#define SHARE ((float)VC_ECHO_BLOCK / VC_TRANSFORM_SIZE)
/// What the path is expected to be before anything is known: power of the first partition, and its
/// fall from one to the next.
#define FIRST_VARIANCE 0.5f
#define VARIANCE_FALL 0.794f
/// How much of the path stays as it is from block to block, and the least change of a bin.
#define STAYS (0.9998f * 0.9998f)
#define LEAST_CHANGE 1e-6f
/// Of the microphone's power that is no echo: memory, the expected echo that is not counted, and
/// the least share that is.
#define NOISE_MEMORY 0.6f
#define NOISE_LESS 0.5f
#define NOISE_LEAST 0.1f

struct vc_linear {
  vc_transform transform;
  float reference[VC_TRANSFORM_SIZE];
  vc_spectrum history[HISTORY];
  int newest;
  vc_spectrum filter[P];
  float covariance_re[P][P][BINS]; ///< of the filter's error, Hermitian; the upper half is kept
  float covariance_im[P][P][BINS];
  vc_spectrum cross[P]; ///< the covariance times the conjugate reference
  float noise[BINS];    ///< power of what is no echo
  float left[BINS];     ///< power of the echo that is expected to be left
};

int vc_linear_create(vc_linear **out) {
  vc_linear *linear = calloc(1, sizeof *linear);
  if (!linear)
    return -ENOMEM;
  vc_transform_prepare(&linear->transform);
  vc_linear_reset(linear);
  *out = linear;
  return 0;
}

void vc_linear_destroy(vc_linear *linear) {
  free(linear);
}

void vc_linear_reset(vc_linear *l) VD_NONBLOCKING {
  memset(l->filter, 0, sizeof l->filter);
  memset(l->covariance_re, 0, sizeof l->covariance_re);
  memset(l->covariance_im, 0, sizeof l->covariance_im);
  float variance = FIRST_VARIANCE;
  for (int p = 0; p < P; p++, variance *= VARIANCE_FALL)
    for (int k = 0; k < BINS; k++)
      l->covariance_re[p][p][k] = variance;
  for (int k = 0; k < BINS; k++)
    l->noise[k] = 1e-3f;
}

/// The spectra of the reference, one a partition, after a new block.
static void take_reference(vc_linear *l, const float *block, const vc_spectrum **x) VD_NONBLOCKING {
  const size_t kept = VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  memmove(l->reference, l->reference + VC_ECHO_BLOCK, kept * sizeof *block);
  memcpy(l->reference + kept, block, VC_ECHO_BLOCK * sizeof *block);
  l->newest = (l->newest + HISTORY - 1) % HISTORY;
  vc_transform_forward(&l->transform, l->reference, &l->history[l->newest]);
  for (int p = 0; p < P; p++)
    x[p] = &l->history[(l->newest + p * STRIDE) % HISTORY];
}

/// Takes the echo as the filter sees it from the microphone. Result in `e`: the error's spectrum.
static void cancel(vc_linear *l, const vc_spectrum **x, const float *microphone, float *out,
                   float *estimate, vc_spectrum *e) VD_NONBLOCKING {
  vc_spectrum y = {0};
  for (int p = 0; p < P; p++) {
    const vc_spectrum *w = &l->filter[p];
    for (int k = 0; k < BINS; k++) {
      y.re[k] += w->re[k] * x[p]->re[k] - w->im[k] * x[p]->im[k];
      y.im[k] += w->re[k] * x[p]->im[k] + w->im[k] * x[p]->re[k];
    }
  }
  const size_t start = VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  float samples[VC_TRANSFORM_SIZE], error[VC_TRANSFORM_SIZE] = {0};
  vc_transform_inverse(&l->transform, &y, samples);
  for (size_t i = 0; i < VC_ECHO_BLOCK; i++) {
    estimate[i] = samples[start + i];
    out[i] = error[start + i] = microphone[i] - samples[start + i];
  }
  vc_transform_forward(&l->transform, error, e);
}

/// `cross` = covariance * conj(x).
static void cross_with(vc_linear *l, const vc_spectrum **x) VD_NONBLOCKING {
  vc_spectrum *c = l->cross;
  memset(l->cross, 0, sizeof l->cross);
  for (int p = 0; p < P; p++) {
    for (int k = 0; k < BINS; k++) {
      c[p].re[k] += l->covariance_re[p][p][k] * x[p]->re[k];
      c[p].im[k] -= l->covariance_re[p][p][k] * x[p]->im[k];
    }
    for (int q = p + 1; q < P; q++)
      for (int k = 0; k < BINS; k++) {
        float re = l->covariance_re[p][q][k], im = l->covariance_im[p][q][k];
        c[p].re[k] += re * x[q]->re[k] + im * x[q]->im[k];
        c[p].im[k] += im * x[q]->re[k] - re * x[q]->im[k];
        c[q].re[k] += re * x[p]->re[k] - im * x[p]->im[k];
        c[q].im[k] -= im * x[p]->re[k] + re * x[p]->im[k];
      }
  }
}

/// The Kalman gain's denominator by bin, inverted. Noise and what is left are followed here.
static void measure(vc_linear *l, const vc_spectrum **x, const vc_spectrum *e,
                    float *inverse) VD_NONBLOCKING {
  for (int k = 0; k < BINS; k++) {
    float expected = 0;
    for (int p = 0; p < P; p++)
      expected += x[p]->re[k] * l->cross[p].re[k] - x[p]->im[k] * l->cross[p].im[k];
    expected = expected > 0 ? expected : 0;
    float seen = e->re[k] * e->re[k] + e->im[k] * e->im[k];
    l->left[k] = SHARE * expected;
    float other = fmaxf(seen - NOISE_LESS * l->left[k], NOISE_LEAST * seen);
    l->noise[k] = NOISE_MEMORY * l->noise[k] + (1 - NOISE_MEMORY) * other;
    inverse[k] = 1 / (expected + l->noise[k] / SHARE + 1e-7f);
  }
}

/// What has been seen makes the path more certain; what time passes, less.
static void follow_covariance(vc_linear *l, const float *inverse) VD_NONBLOCKING {
  const vc_spectrum *c = l->cross;
  for (int p = 0; p < P; p++)
    for (int q = p; q < P; q++)
      for (int k = 0; k < BINS; k++) {
        float gain = SHARE * inverse[k];
        float re = c[p].re[k] * c[q].re[k] + c[p].im[k] * c[q].im[k];
        float im = c[p].im[k] * c[q].re[k] - c[p].re[k] * c[q].im[k];
        l->covariance_re[p][q][k] = STAYS * (l->covariance_re[p][q][k] - gain * re);
        l->covariance_im[p][q][k] = STAYS * (l->covariance_im[p][q][k] - gain * im);
      }
}

/// Moves the filter by the gain times the error, within the samples that a partition has.
static void follow_filter(vc_linear *l, const vc_spectrum *e, const float *inverse) VD_NONBLOCKING {
  for (int p = 0; p < P; p++) {
    const vc_spectrum *c = &l->cross[p];
    vc_spectrum *w = &l->filter[p], step;
    for (int k = 0; k < BINS; k++) {
      step.re[k] = inverse[k] * (c->re[k] * e->re[k] - c->im[k] * e->im[k]);
      step.im[k] = inverse[k] * (c->re[k] * e->im[k] + c->im[k] * e->re[k]);
    }
    float samples[VC_TRANSFORM_SIZE];
    vc_transform_inverse(&l->transform, &step, samples);
    memset(samples + VC_PARTITION, 0, (VC_TRANSFORM_SIZE - VC_PARTITION) * sizeof *samples);
    vc_transform_forward(&l->transform, samples, &step);
    for (int k = 0; k < BINS; k++) {
      w->re[k] += step.re[k];
      w->im[k] += step.im[k];
      float power = w->re[k] * w->re[k] + w->im[k] * w->im[k];
      l->covariance_re[p][p][k] += (1 - STAYS) * power + LEAST_CHANGE;
    }
  }
}

void vc_linear_process(vc_linear *l, const float *reference, const float *microphone, float *out,
                       float *estimate) VD_NONBLOCKING {
  const vc_spectrum *x[P];
  vc_spectrum e;
  float inverse[BINS];
  take_reference(l, reference, x);
  cancel(l, x, microphone, out, estimate, &e);
  cross_with(l, x);
  measure(l, x, &e, inverse);
  follow_covariance(l, inverse);
  follow_filter(l, &e, inverse);
}

const float *vc_linear_misalignment(const vc_linear *l) VD_NONBLOCKING {
  return l->left;
}
