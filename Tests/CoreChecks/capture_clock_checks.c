#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture_clock.h"
#include "checks.h"

// A microphone's position against the time: what is a stall, and what is not.

typedef struct {
  double ppm;           ///< by which the microphone's clock is fast
  uint32_t granularity; ///< its position moves by so many frames at once
  double late_ms;       ///< a block is read up to so much later, at random
  double stall_at_ms, stall_ms;
  double hidden_at_ms, hidden_ms; ///< the position is told so late for once, and catches up
} manner;

typedef struct {
  double lost_ms;  ///< all that was found
  double found_ms; ///< from the stall's end until it was
  uint32_t times;
} finding;

static double milliseconds(double frames) {
  return frames / 48;
}

/// One minute, a block each 10 ms.
static finding watch(const manner *m) {
  ad_capture_clock clock = {0};
  finding found = {0};
  double left_out = 0;
  for (int block = 1; block <= 6000; block++) {
    const double late = m->late_ms * checks_random_below(1001) / 1000;
    const double now_ms = block * 10.0 + late;
    double stood = now_ms > m->stall_at_ms ? fmin(now_ms - m->stall_at_ms, m->stall_ms) : 0;
    // Nothing is read while nothing comes.
    if (m->stall_ms > 0 && now_ms > m->stall_at_ms && now_ms < m->stall_at_ms + m->stall_ms + 10)
      continue;
    double at_ms = (now_ms - stood) * (1 + m->ppm * 1e-6);
    if (now_ms > m->hidden_at_ms && now_ms < m->hidden_at_ms + m->hidden_ms)
      at_ms -= m->hidden_ms;
    double frames = floor(at_ms * 48);
    if (m->granularity)
      frames = floor(frames / m->granularity) * m->granularity;
    const uint32_t lost = ad_capture_clock_observe(&clock, (uint64_t)(frames + left_out),
                                                   (int64_t)(now_ms * 1e6) + 1, m->granularity);
    if (lost && found.times++ == 0)
      found.found_ms = now_ms - m->stall_at_ms - m->stall_ms;
    left_out += lost;
  }
  found.lost_ms = milliseconds(left_out);
  return found;
}

CHECK_CASE(a_microphone_that_never_stood_still_loses_nothing) {
  static const double rates[] = {-500, 0, 500, 5000};
  static const uint32_t steps[] = {0, 48, 480, 960};
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++)
      for (double late = 0; late <= 9; late += 4.5) {
        const manner m = {.ppm = rates[r], .granularity = steps[s], .late_ms = late};
        CHECK(watch(&m).times == 0);
      }
}

CHECK_CASE(a_position_that_is_told_late_once_is_no_stall) {
  for (double hidden = 2; hidden <= 14; hidden += 2) {
    const manner m = {.hidden_at_ms = 30001, .hidden_ms = hidden};
    CHECK(watch(&m).times == 0);
  }
}

CHECK_CASE(a_stall_is_found_within_40_ms_and_its_length_is_true) {
  double worst_ms = 0, latest_ms = 0;
  for (double ppm = -500; ppm <= 500; ppm += 500)
    for (double stall = 5; stall <= 500; stall *= 2) {
      const manner m = {.ppm = ppm, .late_ms = 3, .stall_at_ms = 30003, .stall_ms = stall};
      const finding f = watch(&m);
      CHECK(f.times == 1);
      worst_ms = fmax(worst_ms, fabs(f.lost_ms - stall));
      latest_ms = fmax(latest_ms, f.found_ms);
    }
  printf("    {\"stall_length_error_ms\":%.2f,\"found_after_ms\":%.1f}\n", worst_ms, latest_ms);
  CHECK(worst_ms <= 1 && latest_ms <= 40);
}

CHECK_CASE(a_device_that_moves_by_periods_shows_the_longer_stalls) {
  for (double stall = 40; stall <= 500; stall *= 2) {
    const manner m = {.granularity = 480, .stall_at_ms = 30003, .stall_ms = stall};
    const finding f = watch(&m);
    CHECK(f.times == 1 && fabs(f.lost_ms - stall) <= 11);
  }
}
