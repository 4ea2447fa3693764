#include "capture_clock.h"

#include <math.h>

/// The line follows by this share of the difference with each block: over 0.6 s.
#define FOLLOWING 64

uint32_t ad_capture_clock_observe(ad_capture_clock *clock, uint64_t frames, int64_t now_ns,
                                  uint32_t granularity) VD_NONBLOCKING {
  double expected =
      clock->line_frames + (double)(now_ns - clock->line_ns) * (48000.0 / 1000000000.0);
  double behind = expected - (double)frames;
  double slack = AD_CAPTURE_CLOCK_SLACK_FRAMES + 1.5 * granularity;
  if (clock->line_ns == 0 || behind < -slack) {
    // The beginning, or what was late has come: the line was wrong.
    *clock = (ad_capture_clock){.line_frames = (double)frames, .line_ns = now_ns};
    return 0;
  }
  clock->line_ns = now_ns;
  clock->line_frames = expected;
  if (behind <= slack) {
    clock->behind_ns = 0;
    clock->line_frames -= behind / FOLLOWING;
    return 0;
  }
  if (clock->behind_ns == 0 || behind < clock->least_behind)
    clock->least_behind = behind;
  if (clock->behind_ns == 0)
    clock->behind_ns = now_ns;
  if (now_ns - clock->behind_ns < AD_CAPTURE_CLOCK_PATIENCE_NS)
    return 0;
  clock->behind_ns = 0;
  return (uint32_t)lrint(clock->least_behind);
}
