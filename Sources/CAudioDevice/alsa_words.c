#include "alsa_words.h"

#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// Of one open at most: the words of a configuration with its file.
#define WORDS_BYTES 256

// Per thread, for a device may be opened while another thread asks for cards; the audio thread
// keeps none.
static _Thread_local bool is_kept;
static _Thread_local char words[WORDS_BYTES];

static void keep(const char *file, int line, const char *function, int error, const char *format,
                 ...) {
  (void)file, (void)line, (void)error;
  // What a function says of the one that it called adds nothing.
  bool is_echo = strncmp(format, "function ", 9) == 0 || strncmp(format, "hooks failed", 12) == 0;
  bool names_a_file = strcmp(function, "config_file_open") == 0;
  size_t at = is_kept ? strlen(words) : 0;
  if (!is_kept || is_echo || (at > 0 && !names_a_file) || at + 2 >= sizeof words)
    return;
  if (at > 0)
    at += (size_t)snprintf(&words[at], sizeof words - at, "; ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(&words[at], sizeof words - at, format, arguments);
  va_end(arguments);
}

void ad_words_install(void) {
  snd_lib_error_set_handler(keep);
}

void ad_words_begin(void) {
  words[0] = 0;
  is_kept = true;
}

const char *ad_words_end(void) {
  is_kept = false;
  return words;
}
