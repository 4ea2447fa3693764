#include "audio_mixer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "checks.h"
#include "failing_creation.h"

static const ad_mixer_element *find(const ad_mixer_element *elements, size_t count,
                                    const char *name, int direction) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(elements[i].name, name) == 0 && elements[i].direction == direction)
      return &elements[i];
  return NULL;
}

CHECK_CASE(the_knobs_of_a_card_are_listed_and_turned) {
  ad_mixer *mixer = NULL;
  CHECK(ad_mixer_open(&mixer, "simroom") == 0);
  if (!mixer)
    return;
  ad_mixer_element elements[AD_MIXER_ELEMENTS_MAX];
  size_t count = ad_mixer_list(mixer, elements, AD_MIXER_ELEMENTS_MAX);
  const ad_mixer_element *speaker = find(elements, count, "PCM", AD_MIXER_PLAYBACK);
  const ad_mixer_element *microphone = find(elements, count, "Mic", AD_MIXER_CAPTURE);
  CHECK(speaker && microphone);
  if (speaker && microphone) {
    CHECK(speaker->has_switch && speaker->is_on && speaker->has_decibels);
    CHECK(fabsf(speaker->decibels + 7.0f) < 0.01f);
    ad_mixer_element knob = *microphone;
    CHECK(ad_mixer_set_level(mixer, &knob, 0.5f) == 0);
    CHECK(ad_mixer_set_switch(mixer, &knob, 0) == 0);
    CHECK(ad_mixer_set_decibels(mixer, speaker, -10.4f) == 0);
    count = ad_mixer_list(mixer, elements, AD_MIXER_ELEMENTS_MAX);
    microphone = find(elements, count, "Mic", AD_MIXER_CAPTURE);
    speaker = find(elements, count, "PCM", AD_MIXER_PLAYBACK);
    CHECK(microphone && fabsf(microphone->level - 0.5f) < 0.01f && !microphone->is_on);
    CHECK(speaker && fabsf(speaker->decibels + 11.0f) < 0.01f);
    strcpy(knob.name, "Nothing");
    CHECK(ad_mixer_set_level(mixer, &knob, 1) == -ENOENT);
    CHECK(ad_mixer_list(mixer, elements, 1) == 1);
  }
  ad_mixer_close(mixer);
}

CHECK_CASE(a_card_that_is_not_there_has_no_mixer) {
  ad_mixer *mixer = NULL;
  CHECK(ad_mixer_open(&mixer, "hw:CARD=NoSuchCard") < 0);
  CHECK(mixer == NULL);
  ad_mixer_close(mixer);
}

static int open_mixer(void *unused) {
  (void)unused;
  ad_mixer *mixer = NULL;
  int result = ad_mixer_open(&mixer, "simroom");
  CHECK(result == 0 || mixer == NULL);
  ad_mixer_close(mixer);
  return result;
}

CHECK_CASE(a_mixer_without_memory_fails_cleanly_at_every_allocation) {
  (void)checks_fail_each_allocation("ad_mixer_open", open_mixer, NULL);
}
