#include "path_filter.h"

#include <math.h>
#include <string.h>

#define BINS VC_TRANSFORM_ROOM
#define P VC_PARTITIONS
/// Share of a transform that a block of the microphone fills.
#define SHARE ((float)VC_ECHO_BLOCK / VC_TRANSFORM_SIZE)
/// What the path is expected to be before anything is known: power of the first partition, and its
/// fall from one to the next.
#define FIRST_VARIANCE 0.5f
#define VARIANCE_FALL 0.794f
/// Of the microphone's power that is no echo: memory, the expected echo that is not counted, and
/// the least share that is.
#define NOISE_MEMORY 0.7f
#define NOISE_LESS 0.5f
#define NOISE_LEAST 0.1f
/// Share of the path's power that is unsure after its loudness was changed.
#define UNSURE_SHARE 0.02f

void vc_path_reset(vc_path *path) VD_NONBLOCKING {
  memset(path->filter, 0, sizeof path->filter);
  memset(path->covariance_re, 0, sizeof path->covariance_re);
  memset(path->covariance_im, 0, sizeof path->covariance_im);
  float variance = FIRST_VARIANCE;
  for (int p = 0; p < P; p++, variance *= VARIANCE_FALL)
    for (int k = 0; k < BINS; k++)
      path->covariance_re[p][p][k] = variance;
  for (int k = 0; k < BINS; k++)
    path->noise[k] = 1e-3f;
}

/// Takes the echo as the filter sees it from the microphone.
static void cancel(vc_path *path, const vc_transform *transform, const vc_spectrum *const *x,
                   const float *microphone, float *out, float *estimate) VD_NONBLOCKING {
  vc_spectrum y = {0};
  for (int p = 0; p < P; p++) {
    const vc_spectrum *w = &path->filter[p];
    for (int k = 0; k < BINS; k++) {
      y.re[k] += w->re[k] * x[p]->re[k] - w->im[k] * x[p]->im[k];
      y.im[k] += w->re[k] * x[p]->im[k] + w->im[k] * x[p]->re[k];
    }
  }
  const size_t start = VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  float samples[VC_TRANSFORM_SIZE], error[VC_TRANSFORM_SIZE] = {0};
  vc_transform_inverse(transform, &y, samples);
  for (size_t i = 0; i < VC_ECHO_BLOCK; i++) {
    estimate[i] = samples[start + i];
    out[i] = error[start + i] = microphone[i] - samples[start + i];
  }
  vc_transform_forward(transform, error, &path->error);
}

/// `cross` = covariance * conj(x).
static void cross_with(vc_path *path, const vc_spectrum *const *x) VD_NONBLOCKING {
  vc_spectrum *c = path->cross;
  memset(path->cross, 0, sizeof path->cross);
  for (int p = 0; p < P; p++) {
    for (int k = 0; k < BINS; k++) {
      c[p].re[k] += path->covariance_re[p][p][k] * x[p]->re[k];
      c[p].im[k] -= path->covariance_re[p][p][k] * x[p]->im[k];
    }
    for (int q = p + 1; q < P; q++)
      for (int k = 0; k < BINS; k++) {
        float re = path->covariance_re[p][q][k], im = path->covariance_im[p][q][k];
        c[p].re[k] += re * x[q]->re[k] + im * x[q]->im[k];
        c[p].im[k] += im * x[q]->re[k] - re * x[q]->im[k];
        c[q].re[k] += re * x[p]->re[k] - im * x[p]->im[k];
        c[q].im[k] -= im * x[p]->re[k] + re * x[p]->im[k];
      }
  }
}

/// The Kalman gain's denominator by bin, inverted. Noise and what is left are followed here.
static void measure(vc_path *path, const vc_spectrum *const *x) VD_NONBLOCKING {
  const vc_spectrum *e = &path->error;
  for (int k = 0; k < BINS; k++) {
    float expected = 0;
    for (int p = 0; p < P; p++)
      expected += x[p]->re[k] * path->cross[p].re[k] - x[p]->im[k] * path->cross[p].im[k];
    expected = expected > 0 ? expected : 0;
    float seen = e->re[k] * e->re[k] + e->im[k] * e->im[k];
    path->left[k] = SHARE * expected;
    float other = fmaxf(seen - NOISE_LESS * path->left[k], NOISE_LEAST * seen);
    path->noise[k] = NOISE_MEMORY * path->noise[k] + (1 - NOISE_MEMORY) * other;
    path->certainty[k] = 1 / (expected + path->noise[k] / SHARE + 1e-7f);
  }
}

/// What has been seen makes the path more certain; what time passes, less.
static void follow_covariance(vc_path *path) VD_NONBLOCKING {
  const vc_spectrum *c = path->cross;
  float stays = 1 - path->forgets;
  for (int p = 0; p < P; p++)
    for (int q = p; q < P; q++)
      for (int k = 0; k < BINS; k++) {
        float gain = SHARE * path->certainty[k];
        float re = c[p].re[k] * c[q].re[k] + c[p].im[k] * c[q].im[k];
        float im = c[p].im[k] * c[q].re[k] - c[p].re[k] * c[q].im[k];
        path->covariance_re[p][q][k] = stays * (path->covariance_re[p][q][k] - gain * re);
        path->covariance_im[p][q][k] = stays * (path->covariance_im[p][q][k] - gain * im);
      }
}

/// Moves the filter by the gain times the error, within the samples that a partition has.
static void follow_filter(vc_path *path, const vc_transform *transform) VD_NONBLOCKING {
  const vc_spectrum *e = &path->error;
  for (int p = 0; p < P; p++) {
    const vc_spectrum *c = &path->cross[p];
    vc_spectrum *w = &path->filter[p], step;
    for (int k = 0; k < BINS; k++) {
      step.re[k] = path->certainty[k] * (c->re[k] * e->re[k] - c->im[k] * e->im[k]);
      step.im[k] = path->certainty[k] * (c->re[k] * e->im[k] + c->im[k] * e->re[k]);
    }
    float samples[VC_TRANSFORM_SIZE];
    vc_transform_inverse(transform, &step, samples);
    memset(samples + VC_PARTITION, 0, (VC_TRANSFORM_SIZE - VC_PARTITION) * sizeof *samples);
    vc_transform_forward(transform, samples, &step);
    for (int k = 0; k < BINS; k++) {
      w->re[k] += step.re[k];
      w->im[k] += step.im[k];
      float power = w->re[k] * w->re[k] + w->im[k] * w->im[k];
      path->covariance_re[p][p][k] += path->forgets * power + path->least;
    }
  }
}

void vc_path_process(vc_path *path, const vc_transform *transform, const vc_spectrum *const *x,
                     const float *microphone, float *out, float *estimate) VD_NONBLOCKING {
  cancel(path, transform, x, microphone, out, estimate);
  cross_with(path, x);
  measure(path, x);
  follow_covariance(path);
  follow_filter(path, transform);
}

void vc_path_scale(vc_path *path, float factor) VD_NONBLOCKING {
  for (int p = 0; p < P; p++)
    for (int k = 0; k < BINS; k++) {
      float re = path->filter[p].re[k] *= factor, im = path->filter[p].im[k] *= factor;
      for (int q = p; q < P; q++) {
        path->covariance_re[p][q][k] *= factor * factor;
        path->covariance_im[p][q][k] *= factor * factor;
      }
      path->covariance_re[p][p][k] += UNSURE_SHARE * (re * re + im * im);
    }
}

void vc_path_copy(vc_path *path, const vc_path *from) VD_NONBLOCKING {
  memcpy(path->filter, from->filter, sizeof path->filter);
  memcpy(path->covariance_re, from->covariance_re, sizeof path->covariance_re);
  memcpy(path->covariance_im, from->covariance_im, sizeof path->covariance_im);
}
