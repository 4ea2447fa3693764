#ifndef PLUGIN_LIMITS_H
#define PLUGIN_LIMITS_H

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <alsa/pcm_ioplug.h>

#include "plugin_configuration.h"

/// Tells ALSA what the card can do; the room's own rate and two channels where nothing is said.
/// Result: 0 or an error of alsa-lib's.
int plugin_limit(snd_pcm_ioplug_t *io, const plugin_card *card);

#endif
