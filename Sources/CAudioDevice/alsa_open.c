#include "alsa_open.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio_cards.h"

/// PCMs of sound servers, tried in this order when one holds the card.
static const char *const server_pcms[] = {"pipewire", "pulse"};

/// alsa-lib prints to standard error by itself; our own sentence says it better.
static void discard(const char *file, int line, const char *function, int error, const char *format,
                    ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

__attribute__((format(printf, 2, 3))) static void note(ad_status *status, const char *format, ...) {
  if (status->note_count == AD_NOTES_MAX)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(status->notes[status->note_count++], AD_TEXT_BYTES, format, arguments);
  va_end(arguments);
}

/// Writes the sentence for a failed open.
static int explain(int result, const char *name, bool capture, char *error, size_t bytes) {
  const char *direction = capture ? "microphone" : "speaker";
  const char *option = capture ? "capture" : "playback";
  switch (result) {
  case -EBUSY:
    snprintf(error, bytes,
             "The %s %s is busy: another program holds it. End that program, or give another "
             "device (--%s NAME; `voice devices` lists them).",
             direction, name, option);
    return -EBUSY;
  case -EACCES:
  case -EPERM:
    snprintf(error, bytes,
             "The %s %s may not be opened by this user. Add the user to the group `audio` and log "
             "in again.",
             direction, name);
    return -EACCES;
  case -EINVAL:
    snprintf(error, bytes,
             "The %s %s has no format that is usable at 48000 Hz (S16, S24, S32 or FLOAT). Give "
             "its converting name, e.g. plughw:CARD=...,DEV=0.",
             direction, name);
    return -EINVAL;
  case -ENOMEM:
    snprintf(error, bytes, "There is no memory to open the %s %s.", direction, name);
    return -ENOMEM;
  default:
    snprintf(error, bytes,
             "There is no %s %s (%s). Plug it in, or give another device (--%s NAME; `voice "
             "devices` lists them).",
             direction, name, snd_strerror(result), option);
    return -ENODEV;
  }
}

/// Opens `hw:` names natively, then through ALSA's converter.
static int open_converting(ad_pcm **out, const char *name, bool capture) {
  int result = ad_pcm_open(out, name, capture);
  if (result != -EINVAL || strncmp(name, "hw:", 3) != 0)
    return result;
  char converting[AD_NAME_BYTES + 4];
  snprintf(converting, sizeof converting, "plug%s", name);
  return ad_pcm_open(out, converting, capture);
}

/// Opens a PCM, or that of the sound server that holds its card.
static int open_direction(ad_pcm **out, const char *name, bool capture, ad_status *status,
                          char *error, size_t bytes) {
  int result = open_converting(out, name, capture);
  if (result == -EBUSY) {
    for (size_t i = 0; i < sizeof server_pcms / sizeof *server_pcms; i++) {
      if (!ad_pcm_is_defined(server_pcms[i]) || ad_pcm_open(out, server_pcms[i], capture) < 0)
        continue;
      note(status, "%s is held by a sound server; its PCM `%s` is used for the %s instead.", name,
           server_pcms[i], capture ? "microphone" : "speaker");
      return 0;
    }
  }
  return result < 0 ? explain(result, name, capture, error, bytes) : 0;
}

static void name_of(const ad_card_device *device, char *out, size_t bytes) {
  snprintf(out, bytes, "hw:CARD=%s,DEV=%d", device->card_id, device->device);
}

/// Chooses for "auto": one device with both directions, else one card, else the first of each.
static bool choose(const ad_config *config, char *capture, char *playback) {
  ad_card_device devices[AD_CARD_DEVICES_MAX];
  long count = ad_cards_list(devices, AD_CARD_DEVICES_MAX);
  const ad_card_device *microphone = NULL, *speaker = NULL;
  for (long c = 0; c < count; c++) {
    for (long p = 0; p < count; p++) {
      if (!devices[c].captures || !devices[p].plays)
        continue;
      bool is_one_card = devices[c].card == devices[p].card;
      if (!microphone || (is_one_card && microphone->card != speaker->card)) {
        microphone = &devices[c];
        speaker = &devices[p];
      }
    }
  }
  for (long i = 0; i < count; i++) {
    if (!microphone && devices[i].captures)
      microphone = &devices[i];
    if (!speaker && devices[i].plays)
      speaker = &devices[i];
  }
  bool chooses_capture = strcmp(config->capture, "auto") == 0;
  bool chooses_playback = strcmp(config->playback, "auto") == 0;
  snprintf(capture, AD_NAME_BYTES, "%s", config->capture);
  snprintf(playback, AD_NAME_BYTES, "%s", config->playback);
  if (chooses_capture && microphone)
    name_of(microphone, capture, AD_NAME_BYTES);
  if (chooses_playback && speaker)
    name_of(speaker, playback, AD_NAME_BYTES);
  return !(chooses_capture && !microphone) && !(chooses_playback && !speaker);
}

int ad_pair_open(ad_pair *pair, const ad_config *config, ad_status *status, char *error,
                 size_t error_bytes) {
  // One thread for each PCM: alsa-lib needs no locks of its own. A program that sets this at its
  // start spares the environment a change while other threads may read it.
  const char *locks = getenv("LIBASOUND_THREAD_SAFE");
  if (!locks || strcmp(locks, "0") != 0)
    setenv("LIBASOUND_THREAD_SAFE", "0", 1);
  snd_lib_error_set_handler(discard);
  char capture[AD_NAME_BYTES], playback[AD_NAME_BYTES];
  if (!choose(config, capture, playback)) {
    snprintf(error, error_bytes,
             "No sound card with a microphone and a speaker was found. Plug one in, or give ALSA "
             "names (--capture NAME --playback NAME; `voice devices` lists what there is).");
    return -ENODEV;
  }
  int result = open_direction(&pair->capture, capture, true, status, error, error_bytes);
  if (result == 0)
    result = open_direction(&pair->playback, playback, false, status, error, error_bytes);
  if (result < 0) {
    ad_pair_close(pair);
    return result;
  }
  ad_pcm_describe(pair->capture, status->capture, sizeof status->capture);
  ad_pcm_describe(pair->playback, status->playback, sizeof status->playback);
  return 0;
}

void ad_pair_close(ad_pair *pair) {
  ad_pcm_close(pair->capture);
  ad_pcm_close(pair->playback);
  *pair = (ad_pair){0};
}
