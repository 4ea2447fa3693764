#ifndef AUDIO_MIXER_H
#define AUDIO_MIXER_H

#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Elements of one card listed at most, each direction for itself.
#define AD_MIXER_ELEMENTS_MAX 128

/// Directions of a mixer's element.
enum { AD_MIXER_PLAYBACK = 0, AD_MIXER_CAPTURE = 1 };

/// One knob of a card: an element of ALSA's simple mixer, in one direction.
typedef struct {
  char name[64];
  uint32_t index;
  uint8_t direction;
  uint8_t has_switch;
  uint8_t is_on; ///< any channel
  uint8_t has_volume;
  uint8_t has_decibels;
  float level; ///< of the loudest channel, 0 to 1 of the raw range
  float decibels;
  float least_decibels;
  float most_decibels;
} ad_mixer_element;

/// The knobs of one card.
typedef struct ad_mixer ad_mixer;

/// - control: the card's control device, e.g. `hw:CARD=Device`.
/// Result: 0 or a negative errno. Role: application; may wait for a driver.
int ad_mixer_open(ad_mixer **out, const char *control);
/// NULL is allowed.
void ad_mixer_close(ad_mixer *mixer);
/// Lists the elements as they are now. Result: how many were written.
size_t ad_mixer_list(ad_mixer *mixer, ad_mixer_element *out, size_t capacity);
/// Sets all channels of an element.
/// - level: 0 to 1 of the raw range. Result: 0, -ENOENT (no such element) or a negative errno.
int ad_mixer_set_level(ad_mixer *mixer, const ad_mixer_element *element, float level);
/// Sets all channels to the nearest step that is not louder.
int ad_mixer_set_decibels(ad_mixer *mixer, const ad_mixer_element *element, float decibels);
int ad_mixer_set_switch(ad_mixer *mixer, const ad_mixer_element *element, int is_on);

VD_END_DECLS

#endif
