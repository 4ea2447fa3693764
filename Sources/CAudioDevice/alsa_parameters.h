#ifndef AD_ALSA_PARAMETERS_H
#define AD_ALSA_PARAMETERS_H

#include "alsa_pcm.h"
#include "audio_device.h"

/// Opens a PCM as it is (any of our formats, 8 to 192 kHz, 1 to AD_CHANNELS_MAX channels, either
/// access), with periods as near to the wanted as it has them.
/// - lets_alsa_convert: also rates of ALSA's own converter are taken.
/// - why: receives what the PCM lacks when the result is -EINVAL.
/// Result: 0 or the negative errno of alsa-lib; -EINVAL when it has nothing that is usable.
/// Role: application; blocks.
int ad_pcm_open(ad_pcm **out, const char *name, bool captures, const ad_config *config,
                bool lets_alsa_convert, char *why, size_t why_bytes);

#endif
