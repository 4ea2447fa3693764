#include "echo_transform.h"

#include <math.h>
#include <string.h>

// A real transform of 512 as a complex one of 256: four stages of radix 4 in Stockham's order,
// which sorts as it goes and keeps every inner loop contiguous.

#define HALF (VC_TRANSFORM_SIZE / 2)
#define QUARTER (HALF / 4)

typedef struct {
  float re[HALF];
  float im[HALF];
} work;

void vc_transform_prepare(vc_transform *transform) {
  for (int power = 1; power <= 3; power++)
    for (int i = 0; i < HALF; i++) {
      double angle = -2 * M_PI * power * i / HALF;
      transform->stage_re[power - 1][i] = (float)cos(angle);
      transform->stage_im[power - 1][i] = (float)sin(angle);
    }
  for (int k = 0; k < VC_TRANSFORM_ROOM; k++) {
    double angle = -2 * M_PI * k / VC_TRANSFORM_SIZE;
    transform->split_re[k] = (float)cos(angle);
    transform->split_im[k] = (float)sin(angle);
  }
}

/// One stage: `stride` transforms interleaved; `count` of the stage's groups.
static void stage(const vc_transform *t, const work *restrict in, work *restrict out, int count,
                  int stride) VD_NONBLOCKING {
  for (int p = 0; p < count; p++) {
    float w1r = t->stage_re[0][p * stride], w1i = t->stage_im[0][p * stride];
    float w2r = t->stage_re[1][p * stride], w2i = t->stage_im[1][p * stride];
    float w3r = t->stage_re[2][p * stride], w3i = t->stage_im[2][p * stride];
    const float *ar = in->re + stride * p, *ai = in->im + stride * p;
    float *yr = out->re + stride * 4 * p, *yi = out->im + stride * 4 * p;
    for (int q = 0; q < stride; q++) {
      float r0 = ar[q], i0 = ai[q];
      float r1 = ar[q + QUARTER], i1 = ai[q + QUARTER];
      float r2 = ar[q + 2 * QUARTER], i2 = ai[q + 2 * QUARTER];
      float r3 = ar[q + 3 * QUARTER], i3 = ai[q + 3 * QUARTER];
      float sr = r0 + r2, si = i0 + i2, dr = r0 - r2, di = i0 - i2;
      float tr = r1 + r3, ti = i1 + i3, ur = i1 - i3, ui = r3 - r1;
      float br = dr + ur, bi = di + ui, cr = sr - tr, ci = si - ti, er = dr - ur, ei = di - ui;
      yr[q] = sr + tr;
      yi[q] = si + ti;
      yr[q + stride] = br * w1r - bi * w1i;
      yi[q + stride] = br * w1i + bi * w1r;
      yr[q + 2 * stride] = cr * w2r - ci * w2i;
      yi[q + 2 * stride] = cr * w2i + ci * w2r;
      yr[q + 3 * stride] = er * w3r - ei * w3i;
      yi[q + 3 * stride] = er * w3i + ei * w3r;
    }
  }
}

/// The first stage, whose groups are single: vectors run over the groups instead.
static void first_stage(const vc_transform *t, const work *restrict in,
                        work *restrict out) VD_NONBLOCKING {
  float y[8][QUARTER];
  for (int p = 0; p < QUARTER; p++) {
    float r0 = in->re[p], i0 = in->im[p];
    float r1 = in->re[p + QUARTER], i1 = in->im[p + QUARTER];
    float r2 = in->re[p + 2 * QUARTER], i2 = in->im[p + 2 * QUARTER];
    float r3 = in->re[p + 3 * QUARTER], i3 = in->im[p + 3 * QUARTER];
    float sr = r0 + r2, si = i0 + i2, dr = r0 - r2, di = i0 - i2;
    float tr = r1 + r3, ti = i1 + i3, ur = i1 - i3, ui = r3 - r1;
    float br = dr + ur, bi = di + ui, cr = sr - tr, ci = si - ti, er = dr - ur, ei = di - ui;
    y[0][p] = sr + tr;
    y[1][p] = si + ti;
    y[2][p] = br * t->stage_re[0][p] - bi * t->stage_im[0][p];
    y[3][p] = br * t->stage_im[0][p] + bi * t->stage_re[0][p];
    y[4][p] = cr * t->stage_re[1][p] - ci * t->stage_im[1][p];
    y[5][p] = cr * t->stage_im[1][p] + ci * t->stage_re[1][p];
    y[6][p] = er * t->stage_re[2][p] - ei * t->stage_im[2][p];
    y[7][p] = er * t->stage_im[2][p] + ei * t->stage_re[2][p];
  }
  for (int p = 0; p < QUARTER; p++)
    for (int k = 0; k < 4; k++) {
      out->re[4 * p + k] = y[2 * k][p];
      out->im[4 * p + k] = y[2 * k + 1][p];
    }
}

static void complex_transform(const vc_transform *transform, work *a, work *b) VD_NONBLOCKING {
  first_stage(transform, a, b);
  stage(transform, b, a, HALF / 16, 4);
  stage(transform, a, b, HALF / 64, 16);
  stage(transform, b, a, 1, 64);
}

void vc_transform_forward(const vc_transform *transform, const float *samples,
                          vc_spectrum *spectrum) VD_NONBLOCKING {
  work a, b;
  for (int i = 0; i < HALF; i++) {
    a.re[i] = samples[2 * i];
    a.im[i] = samples[2 * i + 1];
  }
  complex_transform(transform, &a, &b);
  spectrum->re[0] = a.re[0] + a.im[0];
  spectrum->re[HALF] = a.re[0] - a.im[0];
  spectrum->im[0] = spectrum->im[HALF] = 0;
  for (int k = 1; k < HALF; k++) {
    float er = 0.5f * (a.re[k] + a.re[HALF - k]), ei = 0.5f * (a.im[k] - a.im[HALF - k]);
    float or = 0.5f * (a.im[k] + a.im[HALF - k]), oi = 0.5f * (a.re[HALF - k] - a.re[k]);
    float wr = transform->split_re[k], wi = transform->split_im[k];
    spectrum->re[k] = er + or *wr - oi * wi;
    spectrum->im[k] = ei + or *wi + oi * wr;
  }
  for (int k = VC_TRANSFORM_BINS; k < VC_TRANSFORM_ROOM; k++)
    spectrum->re[k] = spectrum->im[k] = 0;
}

void vc_transform_inverse(const vc_transform *transform, const vc_spectrum *spectrum,
                          float *samples) VD_NONBLOCKING {
  work a, b;
  // The parts are exchanged, which turns the forward transform into the inverse.
  for (int k = 0; k < HALF; k++) {
    float xr = spectrum->re[k], xi = spectrum->im[k];
    float mr = spectrum->re[HALF - k], mi = -spectrum->im[HALF - k];
    float er = xr + mr, ei = xi + mi, dr = xr - mr, di = xi - mi;
    float wr = transform->split_re[k], wi = -transform->split_im[k];
    float or = dr * wr - di * wi, oi = dr * wi + di * wr;
    a.im[k] = er - oi;
    a.re[k] = ei + or ;
  }
  complex_transform(transform, &a, &b);
  const float scale = 0.5f / HALF;
  for (int i = 0; i < HALF; i++) {
    samples[2 * i] = a.im[i] * scale;
    samples[2 * i + 1] = a.re[i] * scale;
  }
}
