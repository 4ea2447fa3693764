#ifndef ROOM_CLOCK_H
#define ROOM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// The one rate of the room; alsa-lib's `plug` converts others.
#define ROOM_RATE 48000

/// The room's time: frames since the first stream started, by the monotonic clock or by hand.
/// A stream's clock of its own (drift) would be a second mapping beside `room_clock_frame`.
typedef struct {
  bool begun;
  bool manual;
  int64_t epoch_ns;
  int64_t manual_frame;
} room_clock;

/// Starts the time unless it runs already.
void room_clock_begin(room_clock *clock);
/// The frame that is over now; 0 before the beginning.
int64_t room_clock_frame(const room_clock *clock);
/// The monotonic time in nanoseconds at which `frame` frames are over; real clock only.
int64_t room_clock_time_of(const room_clock *clock, int64_t frame);

#endif
