#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "audio_hotplug.h"
#include "audio_mixer.h"
#include "guest.h"

// What surrounds the audio thread: a card's knobs, and the news that a card came or went.

static const ad_mixer_element *find(const ad_mixer_element *elements, size_t count, int direction) {
  for (size_t i = 0; i < count; i++) {
    if (elements[i].direction == direction && elements[i].has_volume && elements[i].has_switch)
      return &elements[i];
  }
  return NULL;
}

/// Sets one knob of a card and reads it back from a mixer of its own.
static void turns(const char *control, int direction) {
  ad_mixer_element elements[AD_MIXER_ELEMENTS_MAX];
  ad_mixer *mixer = NULL;
  CHECK(ad_mixer_open(&mixer, control) == 0);
  if (mixer == NULL)
    return;
  const size_t count = ad_mixer_list(mixer, elements, AD_MIXER_ELEMENTS_MAX);
  const ad_mixer_element *found = find(elements, count, direction);
  CHECK(found != NULL);
  if (found == NULL) {
    ad_mixer_close(mixer);
    return;
  }
  const ad_mixer_element knob = *found;
  for (int is_on = 0; is_on <= 1; is_on++) {
    const float level = is_on ? 0.8f : 0.3f;
    CHECK(ad_mixer_set_level(mixer, &knob, level) == 0);
    CHECK(ad_mixer_set_switch(mixer, &knob, is_on) == 0);
    ad_mixer *other = NULL;
    CHECK(ad_mixer_open(&other, control) == 0);
    const size_t now = ad_mixer_list(other, elements, AD_MIXER_ELEMENTS_MAX);
    const ad_mixer_element *read = find(elements, now, direction);
    CHECK(read != NULL && strcmp(read->name, knob.name) == 0 && read->is_on == is_on);
    CHECK(read != NULL && fabsf(read->level - level) < 0.1f);
    if (read != NULL)
      (void)printf("    %s, %s: %.2f, %s, %.1f dB\n", control, read->name, (double)read->level,
                   read->is_on ? "on" : "off", (double)read->decibels);
    ad_mixer_close(other);
  }
  ad_mixer_close(mixer);
}

CHECK_CASE(levels_and_mute_of_the_hda_card_hold) {
  turns("hw:CARD=Intel", AD_MIXER_PLAYBACK);
  turns("hw:CARD=Intel", AD_MIXER_CAPTURE);
}

CHECK_CASE(levels_and_mute_of_the_dummy_card_hold) {
  turns("hw:CARD=Dummy", AD_MIXER_CAPTURE);
}

/// Whether the watcher tells of a card within `patience_ms`.
static int tells(ad_hotplug *hotplug, int patience_ms) {
  const int64_t end = guest_now_ms() + patience_ms;
  while (guest_now_ms() < end) {
    struct pollfd wait = {.fd = ad_hotplug_descriptor(hotplug), .events = POLLIN};
    if (poll(&wait, 1, 100) > 0 && ad_hotplug_take(hotplug) == 1)
      return 1;
  }
  return 0;
}

static void is_told_of_the_dummy_card(ad_hotplug *hotplug) {
  static const char driver[] = "/sys/bus/platform/drivers/snd_dummy";
  char path[80];
  const char *actions[] = {"unbind", "bind"};
  CHECK(!tells(hotplug, 300));
  for (int i = 0; i < 2; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", driver, actions[i]);
    const int64_t begun = guest_now_ms();
    CHECK(guest_write(path, "snd_dummy.0") == 0);
    CHECK(tells(hotplug, 2000));
    (void)printf("    told of %s after %ld ms\n", actions[i], (long)(guest_now_ms() - begun));
    while (tells(hotplug, 300))
      continue;
  }
}

CHECK_CASE(the_kernels_messages_tell_of_cards) {
  ad_hotplug *hotplug = NULL;
  CHECK(ad_hotplug_open_messages(&hotplug) == 0);
  if (hotplug != NULL)
    is_told_of_the_dummy_card(hotplug);
  ad_hotplug_close(hotplug);
}

CHECK_CASE(the_folder_of_device_nodes_tells_of_cards) {
  ad_hotplug *hotplug = NULL;
  CHECK(ad_hotplug_open_folder(&hotplug, "/dev/snd") == 0);
  if (hotplug != NULL)
    is_told_of_the_dummy_card(hotplug);
  ad_hotplug_close(hotplug);
}
