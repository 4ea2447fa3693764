#include "alsa_open.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alsa_parameters.h"
#include "alsa_words.h"
#include "audio_cards.h"

/// PCMs of sound servers, tried in this order when one holds the card.
static const char *const server_pcms[] = {"pipewire", "pulse"};

__attribute__((format(printf, 2, 3))) static void note(ad_status *status, const char *format, ...) {
  if (status->note_count == AD_NOTES_MAX)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(status->notes[status->note_count++], AD_TEXT_BYTES, format, arguments);
  va_end(arguments);
}

/// One direction that is being opened.
typedef struct {
  const char *name;
  bool captures;
  const ad_config *config;
  ad_status *status;
} attempt;

/// What the last refusal of this attempt said.
static const char *last_reason(const attempt *at) {
  const ad_status *status = at->status;
  return status->refusal_count ? status->refusals[status->refusal_count - 1].reason : "";
}

/// Writes the sentence for a failed open.
static int explain(int result, const attempt *at, char *error, size_t bytes) {
  const char *name = at->name;
  const char *direction = at->captures ? "microphone" : "speaker";
  const char *option = at->captures ? "capture" : "playback";
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
             "The %s %s has no format that is usable: %s. Give another device (--%s NAME; `voice "
             "devices` lists them).",
             direction, name, last_reason(at), option);
    return -EINVAL;
  case -ENOMEM:
    snprintf(error, bytes, "There is no memory to open the %s %s.", direction, name);
    return -ENOMEM;
  default:
    snprintf(error, bytes,
             "There is no %s %s (%s). Plug it in, or give another device (--%s NAME; `voice "
             "devices` lists them).",
             direction, name, last_reason(at), option);
    return -ENODEV;
  }
}

static bool is_defined(const char *name) {
  snd_config_t *definition;
  if (snd_config_update() < 0 ||
      snd_config_search_definition(snd_config, "pcm", name, &definition) < 0)
    return false;
  snd_config_delete(definition);
  return true;
}

/// Tries one name, and keeps why it was not taken.
static int try_name(const attempt *at, ad_pcm **out, const char *name, bool lets_alsa_convert) {
  char why[AD_TEXT_BYTES] = "";
  ad_words_begin();
  int result = ad_pcm_open(out, name, at->captures, at->config, lets_alsa_convert, why, sizeof why);
  const char *words = ad_words_end();
  if (result == 0 || at->status->refusal_count == AD_REFUSALS_MAX)
    return result;
  ad_refusal *refusal = &at->status->refusals[at->status->refusal_count++];
  refusal->captures = at->captures;
  refusal->code = result;
  snprintf(refusal->name, sizeof refusal->name, "%s", name);
  if (why[0])
    snprintf(refusal->reason, sizeof refusal->reason, "%s", why);
  else
    snprintf(refusal->reason, sizeof refusal->reason, "%s%s%s", snd_strerror(result),
             words[0] ? ": " : "", words);
  return result;
}

/// Opens a card as it is, then through ALSA's converter: with our resampler, then with its own.
static int open_converting(const attempt *at, ad_pcm **out) {
  bool is_card = strncmp(at->name, "hw:", 3) == 0;
  int result = try_name(at, out, at->name, !is_card);
  if (result != -EINVAL || !is_card)
    return result;
  char converting[AD_NAME_BYTES + 4];
  snprintf(converting, sizeof converting, "plug%s", at->name);
  result = try_name(at, out, converting, false);
  return result == -EINVAL ? try_name(at, out, converting, true) : result;
}

/// Opens a PCM, or that of the sound server that holds its card.
static int open_direction(const attempt *at, ad_pcm **out, char *error, size_t bytes) {
  int result = open_converting(at, out);
  for (size_t i = 0; result == -EBUSY && i < sizeof server_pcms / sizeof *server_pcms; i++) {
    if (!is_defined(server_pcms[i]) || try_name(at, out, server_pcms[i], true) < 0)
      continue;
    note(at->status, "%s is held by a sound server; its PCM `%s` is used for the %s instead.",
         at->name, server_pcms[i], at->captures ? "microphone" : "speaker");
    return 0;
  }
  return result < 0 ? explain(result, at, error, bytes) : 0;
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

/// A mistake in one file, ~/.asoundrc for one, and no card can be opened by any name: that is said
/// instead of what each open would say. Result: 0 or -EINVAL.
static int read_configuration(char *error, size_t bytes) {
  ad_words_begin();
  int result = snd_config_update();
  const char *words = ad_words_end();
  if (result >= 0)
    return 0;
  snprintf(error, bytes,
           "ALSA's configuration cannot be read, so no sound device can be opened: %s. Mend that "
           "file (usually ~/.asoundrc or /etc/asound.conf), or move it away.",
           words[0] ? words : snd_strerror(result));
  return -EINVAL;
}

int ad_side_open(ad_pcm **out, bool captures, const ad_config *config, ad_status *status,
                 char *error, size_t error_bytes) {
  const char *name = captures ? config->capture : config->playback;
  attempt side = {.name = name, .captures = captures, .config = config, .status = status};
  int result = read_configuration(error, error_bytes);
  if (result == 0)
    result = open_direction(&side, out, error, error_bytes);
  if (result == 0)
    ad_pcm_describe(*out, captures ? status->capture : status->playback, AD_TEXT_BYTES);
  return result;
}

int ad_pair_open(ad_pair *pair, const ad_config *config, ad_status *status, char *error,
                 size_t error_bytes) {
  // One thread for each PCM: alsa-lib needs no locks of its own. A program that sets this at its
  // start spares the environment a change while other threads may read it.
  const char *locks = getenv("LIBASOUND_THREAD_SAFE");
  if (!locks || strcmp(locks, "0") != 0)
    setenv("LIBASOUND_THREAD_SAFE", "0", 1);
  ad_words_install();
  int readable = read_configuration(error, error_bytes);
  if (readable < 0)
    return readable;
  char capture[AD_NAME_BYTES], playback[AD_NAME_BYTES];
  if (!choose(config, capture, playback)) {
    snprintf(error, error_bytes,
             "No sound card with a microphone and a speaker was found. Plug one in, or give ALSA "
             "names (--capture NAME --playback NAME; `voice devices` lists what there is).");
    return -ENODEV;
  }
  ad_config chosen = *config;
  memcpy(chosen.capture, capture, sizeof capture);
  memcpy(chosen.playback, playback, sizeof playback);
  int result = ad_side_open(&pair->capture, true, &chosen, status, error, error_bytes);
  if (result == 0)
    result = ad_side_open(&pair->playback, false, &chosen, status, error, error_bytes);
  if (result < 0)
    ad_pair_close(pair);
  return result;
}

void ad_pair_close(ad_pair *pair) {
  ad_pcm_close(pair->capture);
  ad_pcm_close(pair->playback);
  *pair = (ad_pair){0};
}
