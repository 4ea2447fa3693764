#ifndef AD_SAMPLE_FORMAT_H
#define AD_SAMPLE_FORMAT_H

#include <stddef.h>

#include "voice_realtime.h"

/// Sample formats of a device, in the order in which they are tried. Native byte order.
typedef enum { AD_S16, AD_S32, AD_FLOAT, AD_S24_3LE, AD_S24, AD_FORMAT_COUNT } ad_format;

size_t ad_format_bytes(ad_format format) VD_NONBLOCKING;
/// Averages the channels of interleaved frames to one, -1..1.
void ad_mix_to_mono(ad_format format, const void *frames, unsigned channels, size_t count,
                    float *out) VD_NONBLOCKING;
/// Writes one channel into every channel of interleaved frames, clipped to -1..1.
void ad_spread_mono(ad_format format, const float *mono, size_t count, unsigned channels,
                    void *frames) VD_NONBLOCKING;

#endif
