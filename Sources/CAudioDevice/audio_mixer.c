#include "audio_mixer.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alsa_words.h"

struct ad_mixer {
  snd_mixer_t *handle;
};

int ad_mixer_open(ad_mixer **out, const char *control) {
  ad_words_install();
  ad_mixer *mixer = calloc(1, sizeof *mixer);
  if (!mixer)
    return -ENOMEM;
  int result = snd_mixer_open(&mixer->handle, 0);
  if (result == 0)
    result = snd_mixer_attach(mixer->handle, control);
  if (result == 0)
    result = snd_mixer_selem_register(mixer->handle, NULL, NULL);
  if (result == 0)
    result = snd_mixer_load(mixer->handle);
  if (result < 0) {
    ad_mixer_close(mixer);
    return result;
  }
  *out = mixer;
  return 0;
}

void ad_mixer_close(ad_mixer *mixer) {
  if (!mixer)
    return;
  if (mixer->handle)
    snd_mixer_close(mixer->handle);
  free(mixer);
}

// What the two directions of an element differ in.

static bool has_volume(snd_mixer_elem_t *element, bool captures) {
  return captures ? snd_mixer_selem_has_capture_volume(element) != 0
                  : snd_mixer_selem_has_playback_volume(element) != 0;
}

static bool has_switch(snd_mixer_elem_t *element, bool captures) {
  return captures ? snd_mixer_selem_has_capture_switch(element) != 0
                  : snd_mixer_selem_has_playback_switch(element) != 0;
}

static bool has_channel(snd_mixer_elem_t *element, bool captures, int channel) {
  snd_mixer_selem_channel_id_t id = (snd_mixer_selem_channel_id_t)channel;
  return captures ? snd_mixer_selem_has_capture_channel(element, id) != 0
                  : snd_mixer_selem_has_playback_channel(element, id) != 0;
}

static int get_range(snd_mixer_elem_t *element, bool captures, long *least, long *most) {
  return captures ? snd_mixer_selem_get_capture_volume_range(element, least, most)
                  : snd_mixer_selem_get_playback_volume_range(element, least, most);
}

static int get_decibel_range(snd_mixer_elem_t *element, bool captures, long *least, long *most) {
  return captures ? snd_mixer_selem_get_capture_dB_range(element, least, most)
                  : snd_mixer_selem_get_playback_dB_range(element, least, most);
}

static int get_volume(snd_mixer_elem_t *element, bool captures, int channel, long *value) {
  snd_mixer_selem_channel_id_t id = (snd_mixer_selem_channel_id_t)channel;
  return captures ? snd_mixer_selem_get_capture_volume(element, id, value)
                  : snd_mixer_selem_get_playback_volume(element, id, value);
}

static int get_decibels(snd_mixer_elem_t *element, bool captures, int channel, long *value) {
  snd_mixer_selem_channel_id_t id = (snd_mixer_selem_channel_id_t)channel;
  return captures ? snd_mixer_selem_get_capture_dB(element, id, value)
                  : snd_mixer_selem_get_playback_dB(element, id, value);
}

static int get_switch(snd_mixer_elem_t *element, bool captures, int channel, int *value) {
  snd_mixer_selem_channel_id_t id = (snd_mixer_selem_channel_id_t)channel;
  return captures ? snd_mixer_selem_get_capture_switch(element, id, value)
                  : snd_mixer_selem_get_playback_switch(element, id, value);
}

static void read_volume(snd_mixer_elem_t *element, bool captures, ad_mixer_element *out) {
  long least = 0, most = 0, loudest = 0, loudest_decibels = 0;
  bool is_first = true;
  if (get_range(element, captures, &least, &most) < 0 || most <= least)
    return;
  long least_decibels = 0, most_decibels = 0;
  bool knows = get_decibel_range(element, captures, &least_decibels, &most_decibels) == 0 &&
               most_decibels > least_decibels;
  for (int channel = 0; channel <= SND_MIXER_SCHN_LAST; channel++) {
    long value = 0, decibels = 0;
    if (!has_channel(element, captures, channel) ||
        get_volume(element, captures, channel, &value) < 0)
      continue;
    if (!is_first && value <= loudest)
      continue;
    loudest = value;
    knows = knows && get_decibels(element, captures, channel, &decibels) == 0;
    loudest_decibels = decibels;
    is_first = false;
  }
  if (is_first)
    return;
  out->has_volume = 1;
  out->level = (float)(loudest - least) / (float)(most - least);
  out->has_decibels = knows;
  out->decibels = (float)loudest_decibels / 100.0f;
  out->least_decibels = (float)least_decibels / 100.0f;
  out->most_decibels = (float)most_decibels / 100.0f;
}

static void read_switch(snd_mixer_elem_t *element, bool captures, ad_mixer_element *out) {
  out->has_switch = 1;
  for (int channel = 0; channel <= SND_MIXER_SCHN_LAST; channel++) {
    int is_on = 0;
    if (has_channel(element, captures, channel) &&
        get_switch(element, captures, channel, &is_on) == 0 && is_on)
      out->is_on = 1;
  }
}

size_t ad_mixer_list(ad_mixer *mixer, ad_mixer_element *out, size_t capacity) {
  // What other programs changed since it was opened.
  (void)snd_mixer_handle_events(mixer->handle);
  size_t count = 0;
  for (snd_mixer_elem_t *element = snd_mixer_first_elem(mixer->handle); element;
       element = snd_mixer_elem_next(element)) {
    for (int direction = AD_MIXER_PLAYBACK; direction <= AD_MIXER_CAPTURE; direction++) {
      bool captures = direction == AD_MIXER_CAPTURE;
      if (count == capacity || !snd_mixer_selem_is_active(element) ||
          (!has_volume(element, captures) && !has_switch(element, captures)))
        continue;
      ad_mixer_element *entry = &out[count++];
      *entry = (ad_mixer_element){.index = snd_mixer_selem_get_index(element),
                                  .direction = (uint8_t)direction};
      snprintf(entry->name, sizeof entry->name, "%s", snd_mixer_selem_get_name(element));
      if (has_volume(element, captures))
        read_volume(element, captures, entry);
      if (has_switch(element, captures))
        read_switch(element, captures, entry);
    }
  }
  return count;
}

static snd_mixer_elem_t *find(ad_mixer *mixer, const ad_mixer_element *element) {
  snd_mixer_selem_id_t *id;
  snd_mixer_selem_id_alloca(&id);
  snd_mixer_selem_id_set_name(id, element->name);
  snd_mixer_selem_id_set_index(id, element->index);
  return snd_mixer_find_selem(mixer->handle, id);
}

int ad_mixer_set_level(ad_mixer *mixer, const ad_mixer_element *element, float level) {
  snd_mixer_elem_t *found = find(mixer, element);
  bool captures = element->direction == AD_MIXER_CAPTURE;
  long least = 0, most = 0;
  if (!found || !has_volume(found, captures))
    return -ENOENT;
  int result = get_range(found, captures, &least, &most);
  if (result < 0)
    return result;
  float share = level < 0 ? 0 : level > 1 ? 1 : level;
  long value = least + lrintf(share * (float)(most - least));
  return captures ? snd_mixer_selem_set_capture_volume_all(found, value)
                  : snd_mixer_selem_set_playback_volume_all(found, value);
}

int ad_mixer_set_decibels(ad_mixer *mixer, const ad_mixer_element *element, float decibels) {
  snd_mixer_elem_t *found = find(mixer, element);
  bool captures = element->direction == AD_MIXER_CAPTURE;
  if (!found || !has_volume(found, captures))
    return -ENOENT;
  long hundredths = lrintf(decibels * 100.0f);
  return captures ? snd_mixer_selem_set_capture_dB_all(found, hundredths, -1)
                  : snd_mixer_selem_set_playback_dB_all(found, hundredths, -1);
}

int ad_mixer_set_switch(ad_mixer *mixer, const ad_mixer_element *element, int is_on) {
  snd_mixer_elem_t *found = find(mixer, element);
  bool captures = element->direction == AD_MIXER_CAPTURE;
  if (!found || !has_switch(found, captures))
    return -ENOENT;
  return captures ? snd_mixer_selem_set_capture_switch_all(found, is_on)
                  : snd_mixer_selem_set_playback_switch_all(found, is_on);
}
