#ifndef AD_CAPTURE_CLOCK_H
#define AD_CAPTURE_CLOCK_H

#include <stdint.h>

#include "voice_realtime.h"

/// Notices a microphone whose clock stood still without an overrun (a bus that hung, a host that
/// was paused): its position falls behind the time that passed and stays there. A value; the time
/// is given to it. Zeroed, it begins anew with the next position.
typedef struct {
  double line_frames;  ///< position that is expected at `line_ns`
  int64_t line_ns;     ///< 0: nothing was seen yet
  int64_t behind_ns;   ///< since when it has been behind; 0: it is not
  double least_behind; ///< frames, since then
} ad_capture_clock;

/// Less than this is jitter or drift, which the line follows: 4 ms.
#define AD_CAPTURE_CLOCK_SLACK_FRAMES 192
/// A device that only reports late catches up within this time.
#define AD_CAPTURE_CLOCK_PATIENCE_NS INT64_C(15000000)

/// Takes the position of the microphone at a time.
/// - frames: captured so far, at 48 kHz.
/// - granularity: steps in which the device tells it, in frames; 0 for one that tells it exactly.
/// Result: frames of time that are lost, to be left out of the index by the caller; else 0.
uint32_t ad_capture_clock_observe(ad_capture_clock *clock, uint64_t frames, int64_t now_ns,
                                  uint32_t granularity) VD_NONBLOCKING;

#endif
