#include "linear_canceller.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef P0
#define P0 0.5f
#endif
#ifndef AA
#define AA 0.9998f
#endif
#ifndef AS
#define AS 0.6f
#endif
#ifndef QMIN
#define QMIN 1e-6f
#endif
#ifndef SUB
#define SUB 0.5f
#define NFL 0.1f
#endif
#define K VC_TRANSFORM_ROOM
#define P VC_PARTITIONS
#define STRIDE (VC_PARTITION / VC_ECHO_BLOCK)
#define HISTORY (P * STRIDE)
#define SHARE ((float)VC_ECHO_BLOCK / VC_TRANSFORM_SIZE)

struct vc_linear {
  vc_transform transform;
  float reference[VC_TRANSFORM_SIZE];
  vc_spectrum history[HISTORY];
  vc_spectrum filter[P];
  vc_spectrum cross[P]; ///< the covariance times the conjugate reference
  // Hermitian covariance of the filter's error, upper half.
  float cov_re[P][P][K], cov_im[P][P][K];
  float noise[K];
  float left[K];
  int newest;
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

void vc_linear_reset(vc_linear *linear) VD_NONBLOCKING {
  memset(linear->filter, 0, sizeof linear->filter);
  memset(linear->cov_re, 0, sizeof linear->cov_re);
  memset(linear->cov_im, 0, sizeof linear->cov_im);
  for (int p = 0; p < P; p++)
    for (int k = 0; k < K; k++)
      linear->cov_re[p][p][k] = P0 * powf(10, -0.1f * (float)p);
  for (int k = 0; k < K; k++)
    linear->noise[k] = 1e-3f;
}

void vc_linear_process(vc_linear *l, const float *reference, const float *microphone, float *out,
                       float *estimate) VD_NONBLOCKING {
  memmove(l->reference, l->reference + VC_ECHO_BLOCK,
          (VC_TRANSFORM_SIZE - VC_ECHO_BLOCK) * sizeof(float));
  memcpy(l->reference + VC_TRANSFORM_SIZE - VC_ECHO_BLOCK, reference,
         VC_ECHO_BLOCK * sizeof(float));
  l->newest = (l->newest + HISTORY - 1) % HISTORY;
  vc_transform_forward(&l->transform, l->reference, &l->history[l->newest]);
  const vc_spectrum *x[P];
  for (int p = 0; p < P; p++)
    x[p] = &l->history[(l->newest + p * STRIDE) % HISTORY];
  vc_spectrum y = {0};
  for (int p = 0; p < P; p++)
    for (int k = 0; k < K; k++) {
      y.re[k] += l->filter[p].re[k] * x[p]->re[k] - l->filter[p].im[k] * x[p]->im[k];
      y.im[k] += l->filter[p].re[k] * x[p]->im[k] + l->filter[p].im[k] * x[p]->re[k];
    }
  float time[VC_TRANSFORM_SIZE];
  vc_transform_inverse(&l->transform, &y, time);
  const float *tail = time + VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  float error[VC_TRANSFORM_SIZE] = {0};
  for (int i = 0; i < VC_ECHO_BLOCK; i++) {
    estimate[i] = tail[i];
    out[i] = error[VC_TRANSFORM_SIZE - VC_ECHO_BLOCK + i] = microphone[i] - tail[i];
  }
  vc_spectrum e;
  vc_transform_forward(&l->transform, error, &e);
  // c = Cov * conj(x)
  vc_spectrum *c = l->cross;
  memset(l->cross, 0, sizeof l->cross);
  for (int p = 0; p < P; p++) {
    for (int k = 0; k < K; k++) {
      c[p].re[k] += l->cov_re[p][p][k] * x[p]->re[k];
      c[p].im[k] -= l->cov_re[p][p][k] * x[p]->im[k];
    }
    for (int q = p + 1; q < P; q++)
      for (int k = 0; k < K; k++) {
        float re = l->cov_re[p][q][k], im = l->cov_im[p][q][k];
        c[p].re[k] += re * x[q]->re[k] + im * x[q]->im[k];
        c[p].im[k] += im * x[q]->re[k] - re * x[q]->im[k];
        c[q].re[k] += re * x[p]->re[k] - im * x[p]->im[k];
        c[q].im[k] += -im * x[p]->re[k] - re * x[p]->im[k];
      }
  }
  float gain[K], gain2[K];
  for (int k = 0; k < K; k++) {
    float s = 0;
    for (int p = 0; p < P; p++)
      s += x[p]->re[k] * c[p].re[k] - x[p]->im[k] * c[p].im[k];
    s = s > 0 ? s : 0;
    float e2 = e.re[k] * e.re[k] + e.im[k] * e.im[k];
    float excess = e2 - SUB * SHARE * s;
    if (excess < NFL * e2)
      excess = NFL * e2;
    l->noise[k] = AS * l->noise[k] + (1 - AS) * excess;
    l->left[k] = SHARE * s;
    float den = 1 / (s + l->noise[k] / SHARE + 1e-7f);
    gain[k] = den;
    gain2[k] = SHARE * den;
  }
  for (int p = 0; p < P; p++) {
    for (int q = p; q < P; q++)
      for (int k = 0; k < K; k++) {
        // P -= share * c c^H / den
        l->cov_re[p][q][k] -= gain2[k] * (c[p].re[k] * c[q].re[k] + c[p].im[k] * c[q].im[k]);
        l->cov_im[p][q][k] -= gain2[k] * (c[p].im[k] * c[q].re[k] - c[p].re[k] * c[q].im[k]);
      }
  }
  for (int p = 0; p < P; p++) {
    vc_spectrum t;
    for (int k = 0; k < K; k++) {
      t.re[k] = gain[k] * (c[p].re[k] * e.re[k] - c[p].im[k] * e.im[k]);
      t.im[k] = gain[k] * (c[p].re[k] * e.im[k] + c[p].im[k] * e.re[k]);
    }
    vc_transform_inverse(&l->transform, &t, time);
    memset(time + VC_PARTITION, 0, (VC_TRANSFORM_SIZE - VC_PARTITION) * sizeof *time);
    vc_transform_forward(&l->transform, time, &t);
    for (int k = 0; k < K; k++) {
      l->filter[p].re[k] += t.re[k];
      l->filter[p].im[k] += t.im[k];
    }
    for (int q = p; q < P; q++)
      for (int k = 0; k < K; k++) {
        l->cov_re[p][q][k] *= AA * AA;
        l->cov_im[p][q][k] *= AA * AA;
      }
    for (int k = 0; k < K; k++) {
      float w2 = l->filter[p].re[k] * l->filter[p].re[k] + l->filter[p].im[k] * l->filter[p].im[k];
      l->cov_re[p][p][k] += (1 - AA * AA) * w2 + QMIN;
    }
  }
}
const float *vc_linear_misalignment(const vc_linear *l) VD_NONBLOCKING {
  return l->left;
}
