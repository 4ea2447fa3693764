#include "room_clock.h"

#include <time.h>

static int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void room_clock_begin(room_clock *clock) {
  if (clock->begun)
    return;
  clock->begun = true;
  clock->epoch_ns = monotonic_ns();
}

int64_t room_clock_frame(const room_clock *clock) {
  if (!clock->begun)
    return 0;
  if (clock->manual)
    return clock->manual_frame;
  // 48,000 frames in 10^9 ns are 6 in 125,000: exact in 64 bits for 48 years.
  return (monotonic_ns() - clock->epoch_ns) * 6 / 125000;
}

int64_t room_clock_time_of(const room_clock *clock, int64_t frame) {
  return clock->epoch_ns + (frame * 125000 + 5) / 6;
}
