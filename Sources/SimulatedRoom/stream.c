#include "stream.h"

#include <string.h>
#include <sys/timerfd.h>

#include "room.h"

int64_t stream_avail(const room_stream *stream) {
  return stream->captures ? stream->hardware - stream->application
                          : stream->capacity - (stream->application - stream->hardware);
}

static void stop_at_threshold(room_stream *stream) {
  if (stream->draining && stream->hardware == stream->application) {
    stream_fail(stream, STREAM_STOPPED);
    return;
  }
  if (stream_avail(stream) < stream->stop_threshold)
    return;
  stream->room->counters[stream->captures ? SIMROOM_CAPTURE_XRUNS : SIMROOM_PLAYBACK_XRUNS]++;
  stream_fail(stream, STREAM_XRUN);
}

/// Where in a block the stream's next frame lies: later than its start after a stall.
static size_t offset_in_block(const room_stream *stream, int64_t frame, size_t count) {
  int64_t offset = stream->start + stream->hardware - frame;
  return offset < 0 ? 0 : offset > (int64_t)count ? count : (size_t)offset;
}

size_t stream_play(room_stream *stream, int64_t frame, float *out, size_t count) {
  memset(out, 0, count * sizeof *out);
  if (!stream || stream->phase != STREAM_RUNNING)
    return 0;
  size_t played = 0;
  for (size_t i = offset_in_block(stream, frame, count); i < count; i++) {
    if (stream->hardware < stream->application) {
      out[i] = stream->queue[stream->hardware % stream->capacity];
      played++;
    }
    stream->hardware++;
    stop_at_threshold(stream);
    if (stream->phase != STREAM_RUNNING)
      break;
  }
  return played;
}

size_t stream_capture(room_stream *stream, int64_t frame, const float *in, size_t count,
                      size_t *first) {
  *first = 0;
  if (!stream || stream->phase != STREAM_RUNNING)
    return 0;
  *first = offset_in_block(stream, frame, count);
  size_t delivered = 0;
  for (size_t i = *first; i < count && stream->phase == STREAM_RUNNING; i++) {
    stream->queue[stream->hardware++ % stream->capacity] = in[i];
    delivered++;
    stop_at_threshold(stream);
  }
  return delivered;
}

static void set_timer(const room_stream *stream, int64_t at_ns) {
  struct itimerspec when = {
      .it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000}};
  // Cannot fail: the descriptor is a timer of ours and the time is valid and not zero.
  timerfd_settime(stream->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void set_timer_expired(const room_stream *stream) {
  set_timer(stream, 1);
}

static void set_timer_off(const room_stream *stream) {
  struct itimerspec never = {0};
  timerfd_settime(stream->timer, 0, &never, NULL);
}

void stream_fail(room_stream *stream, stream_phase phase) {
  stream->phase = phase;
  set_timer_expired(stream);
}

bool stream_is_ready(const room_stream *stream) {
  switch (stream->phase) {
  case STREAM_RUNNING:
    return !stream->draining && stream_avail(stream) >= stream->avail_min;
  case STREAM_STOPPED:
    // A prepared playback stream takes data; a capture stream that was not started has none.
    return !stream->captures && stream_avail(stream) >= stream->avail_min;
  default:
    return true;
  }
}

void stream_arm(room_stream *stream) {
  const room_clock *clock = &stream->room->clock;
  if (stream_is_ready(stream)) {
    set_timer_expired(stream);
  } else if (stream->phase != STREAM_RUNNING || clock->manual) {
    set_timer_off(stream);
  } else {
    // A device interrupts at its period boundaries only.
    int64_t wanted = stream->draining ? stream->application
                                      : stream->hardware + stream->avail_min - stream_avail(stream);
    int64_t boundary = (wanted + stream->period - 1) / stream->period * stream->period;
    set_timer(stream, room_clock_time_of(clock, stream->start + boundary));
  }
}
