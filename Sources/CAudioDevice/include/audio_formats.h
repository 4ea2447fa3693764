#ifndef AUDIO_FORMATS_H
#define AUDIO_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

#define AD_FORMATS_MAX 8
#define AD_RATES_MAX 12

/// What one direction of a PCM takes natively.
typedef struct {
  char formats[AD_FORMATS_MAX][16]; ///< ALSA's names
  uint32_t format_count;
  uint32_t rates[AD_RATES_MAX]; ///< of the usual ones, those it has
  uint32_t rate_count;
  uint32_t least_channels, most_channels;
  uint32_t least_period_us, most_period_us;
} ad_native_format;

/// Asks a PCM what it takes; nothing is set and no sound flows. Result: 0 or a negative errno:
/// -EBUSY when another program holds it. Role: application; blocks.
int ad_native_format_read(const char *name, int captures, ad_native_format *out);

VD_END_DECLS

#endif
