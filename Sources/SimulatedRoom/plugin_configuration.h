#ifndef PLUGIN_CONFIGURATION_H
#define PLUGIN_CONFIGURATION_H

#include <alsa/asoundlib.h>
#include <stdbool.h>

#include "impulse_response.h"

/// What a card can do; 0 is anything.
typedef struct {
  unsigned rate_hz, channels;
  unsigned microphone_channel; ///< the only one with sound, from 1
  unsigned reference_channel;  ///< the one with what the speaker plays, from 1
  bool has_format, has_access;
  unsigned format, access; ///< a snd_pcm_format_t, a snd_pcm_access_t
  double capture_ppm, playback_ppm;
} plugin_card;

/// A `pcm.NAME { type simroom ... }` as read; strings belong to alsa-lib's configuration.
typedef struct {
  const char *room;
  const char *record;
  const char *impulse_response;
  bool manual_clock;
  room_acoustics acoustics;
  plugin_card card;
  double playback_latency_ms; ///< behind the buffer, told
  double hidden_latency_ms;   ///< behind that, not told
  const char *faults;         ///< what goes wrong and when
} plugin_configuration;

/// The acoustics of a room nobody has described: a small office, a speaker beside the microphone.
room_acoustics plugin_default_acoustics(void);
/// Reads the fields; says on ALSA's error channel which one is wrong. Result: 0 or -EINVAL.
int plugin_configuration_read(plugin_configuration *out, snd_config_t *fields);

#endif
