#ifndef AD_PAIR_RECOVERY_H
#define AD_PAIR_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

// What to do about a pair of PCMs that fails: values, events in, remedies out. No clock, no ALSA;
// `pair_loop.c` carries the remedies out and looks again.

/// State of a PCM as far as it decides what to do.
typedef enum { AD_READY, AD_RUNNING, AD_DRY, AD_SUSPENDED, AD_GONE } ad_pcm_state;

/// What is done about one direction.
typedef enum {
  AD_KEEP,    ///< it runs
  AD_RESUME,  ///< wake it from a suspension
  AD_RESTART, ///< drop, prepare, start
  AD_HOLD,    ///< nothing before `not_before_ns`
  AD_GIVE_UP  ///< nothing more on this PCM
} ad_remedy;

/// One direction as it is seen.
typedef struct {
  ad_pcm_state state;
  int error;  ///< that a call gave since the last look, else 0
  bool moved; ///< frames went through since the last look
} ad_look;

/// One direction's recovery. Zeroed is a PCM that was never started.
typedef struct {
  uint32_t restarts;     ///< in a row, without a frame between
  uint32_t resumes;      ///< attempts in this suspension
  uint32_t stuck;        ///< restarts in a row because nothing moved
  int64_t moved_ns;      ///< when frames last moved, or it was last restarted
  int64_t not_before_ns; ///< of the next attempt
  bool wants_restart;    ///< whatever its state says: it was resumed, or its microphone is silent
  bool is_deaf;          ///< a microphone that delivers zeros, also after its restart
  bool is_gone;
} ad_side_recovery;

/// Both. The microphone is the clock: without one nothing runs; without the speaker it goes on.
typedef struct {
  ad_side_recovery capture, playback;
} ad_pair_recovery;

typedef struct {
  ad_remedy capture, playback;
} ad_pair_remedy;

/// Frames that do not move for so long on a PCM that runs: it is stuck.
#define AD_STUCK_NS INT64_C(1000000000)
/// A stuck microphone is restarted once; then the device is lost, to be opened anew.
#define AD_STUCK_RESTARTS_MAX 1
/// Restarts in a row without a frame between them, then the direction is given up.
#define AD_RESTARTS_MAX 16
/// Attempts to wake a suspended PCM that answers "try again", and the time between two.
#define AD_RESUMES_MAX 5
#define AD_RESUME_PAUSE_NS 50000000
/// A speaker that was given up, and yet is there, is tried again so much later.
#define AD_SPEAKER_RETRY_NS INT64_C(1000000000)

/// A speaker that fell silent is not started again before the microphone delivers: with nothing to
/// write it would only run dry once more. A microphone that delivered so recently does.
#define AD_FLOWING_NS 25000000

/// Looks at both directions. What it returns is to be done now.
ad_pair_remedy ad_pair_looked(ad_pair_recovery *pair, const ad_look *capture,
                              const ad_look *playback, int64_t now_ns) VD_NONBLOCKING;
/// A resume was tried, with this result. Its word is not believed: a restart follows.
void ad_side_resumed(ad_side_recovery *side, int result, int64_t now_ns) VD_NONBLOCKING;
/// A restart was tried; how it went shows at the next look.
void ad_side_restarted(ad_side_recovery *side, int64_t now_ns) VD_NONBLOCKING;

#endif
