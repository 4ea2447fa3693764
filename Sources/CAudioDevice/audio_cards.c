#include "audio_cards.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alsa_words.h"

static void copy(char *out, size_t bytes, const char *text) {
  snprintf(out, bytes, "%s", text ? text : "");
}

static int has_direction(snd_ctl_t *control, snd_pcm_info_t *info, int device,
                         snd_pcm_stream_t stream) {
  snd_pcm_info_set_device(info, (unsigned)device);
  snd_pcm_info_set_subdevice(info, 0);
  snd_pcm_info_set_stream(info, stream);
  return snd_ctl_pcm_info(control, info) == 0;
}

static size_t list_card(int card, ad_card_device *out, size_t capacity) {
  char name[32];
  snprintf(name, sizeof name, "hw:%d", card);
  snd_ctl_t *control;
  if (snd_ctl_open(&control, name, SND_CTL_NONBLOCK) < 0)
    return 0; // Unplugged since it was counted, or not ours to open.
  snd_ctl_card_info_t *card_info;
  snd_pcm_info_t *info;
  snd_ctl_card_info_alloca(&card_info);
  snd_pcm_info_alloca(&info);
  size_t count = 0;
  int device = -1;
  if (snd_ctl_card_info(control, card_info) == 0) {
    while (count < capacity && snd_ctl_pcm_next_device(control, &device) == 0 && device >= 0) {
      ad_card_device *entry = &out[count];
      entry->card = card;
      entry->device = device;
      entry->captures = has_direction(control, info, device, SND_PCM_STREAM_CAPTURE) != 0;
      copy(entry->device_name, sizeof entry->device_name,
           entry->captures ? snd_pcm_info_get_name(info) : "");
      entry->plays = has_direction(control, info, device, SND_PCM_STREAM_PLAYBACK) != 0;
      if (entry->plays)
        copy(entry->device_name, sizeof entry->device_name, snd_pcm_info_get_name(info));
      copy(entry->card_id, sizeof entry->card_id, snd_ctl_card_info_get_id(card_info));
      copy(entry->card_name, sizeof entry->card_name, snd_ctl_card_info_get_name(card_info));
      count++;
    }
  }
  snd_ctl_close(control);
  return count;
}

long ad_cards_list(ad_card_device *out, size_t capacity) {
  size_t count = 0;
  int card = -1;
  int result;
  while ((result = snd_card_next(&card)) == 0 && card >= 0 && count < capacity)
    count += list_card(card, &out[count], capacity - count);
  return result < 0 && count == 0 ? result : (long)count;
}

int ad_card_name(const char *control_name, ad_card_device *out) {
  ad_words_install();
  snd_ctl_t *control;
  int result = snd_ctl_open(&control, control_name, SND_CTL_NONBLOCK);
  if (result < 0)
    return result;
  snd_ctl_card_info_t *info;
  snd_ctl_card_info_alloca(&info);
  result = snd_ctl_card_info(control, info);
  if (result == 0)
    copy(out->card_name, sizeof out->card_name, snd_ctl_card_info_get_name(info));
  snd_ctl_close(control);
  return result;
}

int ad_card_device_name(const char *control_name, ad_card_device *out) {
  ad_words_install();
  snd_ctl_t *control;
  int result = snd_ctl_open(&control, control_name, SND_CTL_NONBLOCK);
  if (result < 0)
    return result;
  snd_pcm_info_t *info;
  snd_pcm_info_alloca(&info);
  bool is_there = has_direction(control, info, out->device, SND_PCM_STREAM_PLAYBACK) ||
                  has_direction(control, info, out->device, SND_PCM_STREAM_CAPTURE);
  if (is_there)
    copy(out->device_name, sizeof out->device_name, snd_pcm_info_get_name(info));
  snd_ctl_close(control);
  return is_there ? 0 : -ENODEV;
}

int64_t ad_lockable_bytes(void) {
  struct rlimit limit;
  bool is_free = geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0;
  return is_free || limit.rlim_cur == RLIM_INFINITY ? -1 : (int64_t)limit.rlim_cur;
}
