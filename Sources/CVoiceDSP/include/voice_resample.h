#ifndef VOICE_RESAMPLE_H
#define VOICE_RESAMPLE_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Mono resampler over libsamplerate (sinc fastest), state carried across calls; ratio may follow a
/// clock.
typedef struct vd_resampler vd_resampler;

int vd_resampler_create(vd_resampler **out, double from_hz, double to_hz);
void vd_resampler_destroy(vd_resampler *resampler);
/// Sets the ratio out/in, ramped over the next call. Range 1/256..256.
void vd_resampler_set_ratio(vd_resampler *resampler, double ratio) VD_NONBLOCKING;
/// Converts as much of `in` as fits; `*used` receives the samples consumed.
/// Result: samples written to `out`, or a negative errno.
long vd_resampler_process(vd_resampler *resampler, const float *in, size_t in_count, size_t *used,
                          float *out, size_t out_capacity) VD_NONBLOCKING;
void vd_resampler_reset(vd_resampler *resampler) VD_NONBLOCKING;

VD_END_DECLS

#endif
