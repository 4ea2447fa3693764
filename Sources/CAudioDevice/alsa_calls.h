#ifndef AD_ALSA_CALLS_H
#define AD_ALSA_CALLS_H

#include <alsa/asoundlib.h>
#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// One report of a PCM, taken at one moment.
typedef struct {
  long avail;       ///< frames that can be read or written
  long delay;       ///< frames between the application and the air
  int64_t stamp_ns; ///< when both were true; 0 when the driver does not say
} ad_pcm_report;

/// Everything that the audio thread asks of the world outside: alsa-lib, poll and the clock.
///
/// `ad_alsa_library` is the real one, and `alsa_calls.c` the one file here that is exempt from the
/// `nonblocking` check. Another table makes a device of a script, in virtual time.
/// Results are 0 or more, or a negative errno, as alsa-lib gives them.
typedef struct {
  int (*state)(snd_pcm_t *pcm) VD_NONBLOCKING; ///< a snd_pcm_state_t
  int (*prepare)(snd_pcm_t *pcm) VD_NONBLOCKING;
  int (*start)(snd_pcm_t *pcm) VD_NONBLOCKING;
  int (*drop)(snd_pcm_t *pcm) VD_NONBLOCKING;
  int (*resume)(snd_pcm_t *pcm) VD_NONBLOCKING;
  long (*avail)(snd_pcm_t *pcm) VD_NONBLOCKING;
  int (*report)(snd_pcm_t *pcm, ad_pcm_report *report) VD_NONBLOCKING;
  long (*read)(snd_pcm_t *pcm, void *frames, unsigned long count, bool mapped) VD_NONBLOCKING;
  long (*write)(snd_pcm_t *pcm, const void *frames, unsigned long count,
                bool mapped) VD_NONBLOCKING;
  /// Waits until the PCM is ready, `stop` is readable or the time has passed.
  /// - pcm: NULL waits for `stop` and the time alone.
  /// Result: 1 ready (or in trouble: ask for its state), 0 timed out, 2 stop.
  int (*wait)(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING;
  int64_t (*now_ns)(void) VD_NONBLOCKING; ///< the monotonic clock
  void (*close)(snd_pcm_t *pcm);          ///< role: application
} ad_alsa_calls;

extern const ad_alsa_calls ad_alsa_library;

#endif
