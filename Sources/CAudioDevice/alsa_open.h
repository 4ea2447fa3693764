#ifndef AD_ALSA_OPEN_H
#define AD_ALSA_OPEN_H

#include "alsa_pcm.h"
#include "audio_device.h"

/// Both directions of a device.
typedef struct {
  ad_pcm *capture;
  ad_pcm *playback;
} ad_pair;

/// Finds and opens what the configuration names; notes in `status` what a person should know.
/// Result and error as `ad_device_open`.
int ad_pair_open(ad_pair *pair, const ad_config *config, ad_status *status, char *error,
                 size_t error_bytes);
/// Opens one direction, which must be named.
int ad_side_open(ad_pcm **out, bool captures, const ad_config *config, ad_status *status,
                 char *error, size_t error_bytes);
void ad_pair_close(ad_pair *pair);

#endif
