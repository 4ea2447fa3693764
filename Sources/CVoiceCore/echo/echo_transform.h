#ifndef VC_ECHO_TRANSFORM_H
#define VC_ECHO_TRANSFORM_H

#include <stddef.h>

#include "voice_realtime.h"

/// Samples of one transform: 32 ms at 16 kHz.
#define VC_TRANSFORM_SIZE 512
/// Bins of a spectrum, from 0 to the half of the rate.
#define VC_TRANSFORM_BINS 257
/// The same, filled up so that the compiler's vectors need no remainder.
#define VC_TRANSFORM_ROOM 260

/// A spectrum, real and imaginary parts apart, so that loops over bins become vectors.
typedef struct {
  float re[VC_TRANSFORM_ROOM];
  float im[VC_TRANSFORM_ROOM];
} vc_spectrum;

/// Factors of the transform, shared and never written after `vc_transform_prepare`.
typedef struct {
  float stage_re[3][VC_TRANSFORM_SIZE / 2], stage_im[3][VC_TRANSFORM_SIZE / 2];
  float split_re[VC_TRANSFORM_ROOM], split_im[VC_TRANSFORM_ROOM];
} vc_transform;

void vc_transform_prepare(vc_transform *transform);
/// Spectrum of VC_TRANSFORM_SIZE real samples.
void vc_transform_forward(const vc_transform *transform, const float *samples,
                          vc_spectrum *spectrum) VD_NONBLOCKING;
/// Samples of a spectrum; the exact inverse of the above.
void vc_transform_inverse(const vc_transform *transform, const vc_spectrum *spectrum,
                          float *samples) VD_NONBLOCKING;

#endif
