#ifndef PLUGIN_CONFIGURATION_H
#define PLUGIN_CONFIGURATION_H

#include <alsa/asoundlib.h>
#include <stdbool.h>

#include "impulse_response.h"

/// A `pcm.NAME { type simroom ... }` as read; strings belong to alsa-lib's configuration.
typedef struct {
  const char *room;
  const char *record;
  const char *impulse_response;
  bool manual_clock;
  room_acoustics acoustics;
} plugin_configuration;

/// The acoustics of a room nobody has described: a small office, a speaker beside the microphone.
room_acoustics plugin_default_acoustics(void);
/// Reads the fields; says on ALSA's error channel which one is wrong. Result: 0 or -EINVAL.
int plugin_configuration_read(plugin_configuration *out, snd_config_t *fields);

#endif
