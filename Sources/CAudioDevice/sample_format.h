#ifndef AD_SAMPLE_FORMAT_H
#define AD_SAMPLE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Sample formats of a device, in the order in which they are tried. Native byte order.
typedef enum { AD_S16, AD_S32, AD_FLOAT, AD_S24_3LE, AD_S24, AD_FORMAT_COUNT } ad_format;

size_t ad_format_bytes(ad_format format) VD_NONBLOCKING;
/// Channels of a device at most.
#define AD_CHANNELS_MAX 32

/// Averages the channels of `mask` (bit 0 is the first) of interleaved frames to one, -1..1.
void ad_mix_to_mono(ad_format format, const void *frames, unsigned channels, uint32_t mask,
                    size_t count, float *out) VD_NONBLOCKING;
/// Writes one channel into the channels of `mask` of interleaved frames, clipped to -1..1; the
/// others are silent.
void ad_spread_mono(ad_format format, const float *mono, size_t count, unsigned channels,
                    uint32_t mask, void *frames) VD_NONBLOCKING;

#endif
