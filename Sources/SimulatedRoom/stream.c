#include "stream.h"

#include <math.h>
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

int64_t stream_room_frame(const room_stream *stream, int64_t frame) {
  return stream->start + (int64_t)ceil((double)frame / stream->rate);
}

void stream_set_rate(room_stream *stream, double rate, int64_t now) {
  stream->rate = rate;
  stream->start = now - (int64_t)((double)stream->hardware / rate);
}

/// Between `b` and `c`, by the curve through all four (Catmull and Rom's).
static float between(float a, float b, float c, float d, float share) {
  float slope = 0.5f * (c - a), bend = a - 2.5f * b + 2 * c - 0.5f * d;
  float twist = 0.5f * (d - a) + 1.5f * (b - c);
  return ((twist * share + bend) * share + slope) * share + b;
}

/// A written frame that was not played yet; behind the last one it goes on as it was.
static float written(const room_stream *stream, int64_t frame) {
  if (frame >= stream->application)
    frame = stream->application - 1;
  return frame < stream->hardware ? stream->past[2] : stream->queue[frame % stream->capacity];
}

/// What the speaker puts out at the stream's time `at`; `hardware` is its whole part.
static float speaker_at(const room_stream *stream, double at) {
  int64_t frame = stream->hardware;
  float share = (float)(at - (double)frame);
  float now = written(stream, frame);
  return share == 0 ? now
                    : between(stream->past[2], now, written(stream, frame + 1),
                              written(stream, frame + 2), share);
}

/// Moves past one frame, played or missing.
static void step_speaker(room_stream *stream) {
  if (stream->hardware < stream->application)
    stream->past[2] = stream->queue[stream->hardware % stream->capacity];
  stream->hardware++;
  stop_at_threshold(stream);
}

size_t stream_play(room_stream *stream, int64_t frame, float *out, size_t count) {
  memset(out, 0, count * sizeof *out);
  if (!stream || stream->phase != STREAM_RUNNING)
    return 0;
  size_t played = 0;
  for (size_t i = 0; i < count && stream->phase == STREAM_RUNNING; i++) {
    int64_t passed = frame + (int64_t)i - stream->start;
    double at = (double)passed * stream->rate;
    // Not begun, or standing still.
    if (passed < 0 || at < (double)stream->hardware)
      continue;
    while (stream->phase == STREAM_RUNNING && (double)stream->hardware + 1 <= at)
      step_speaker(stream);
    if (stream->phase != STREAM_RUNNING)
      break;
    if (stream->hardware < stream->application) {
      out[i] = speaker_at(stream, at);
      played++;
    }
    // What is over with this frame of the room.
    double over = (double)(passed + 1) * stream->rate;
    while (stream->phase == STREAM_RUNNING && (double)stream->hardware + 1 <= over)
      step_speaker(stream);
  }
  return played;
}

/// A sound at `offset` frames behind the first of `in`, and `share` of a frame more.
/// - past: the three frames before `in`.
static float sound_at(const float *past, const float *in, int64_t offset, float share) {
  float near[4];
  for (int64_t i = 0; i < 4; i++) {
    int64_t at = offset - 1 + i;
    near[i] = at >= 0 ? in[at] : past[3 + at];
  }
  return between(near[0], near[1], near[2], near[3], share);
}

static void capture_frame(room_stream *stream, float value, float line) {
  int64_t slot = stream->hardware++ % stream->capacity;
  stream->queue[slot] = value;
  if (stream->line)
    stream->line[slot] = line;
  stop_at_threshold(stream);
}

size_t stream_capture(room_stream *stream, int64_t frame, const float *in, const float *line,
                      size_t count, size_t *first) {
  *first = 0;
  if (!stream || stream->phase != STREAM_RUNNING)
    return 0;
  int64_t end = frame + (int64_t)count, begin = stream_room_frame(stream, stream->hardware);
  *first = begin <= frame ? 0 : begin >= end ? count : (size_t)(begin - frame);
  bool is_exact = stream->rate == 1;
  int64_t before = stream->hardware;
  while (stream->phase == STREAM_RUNNING) {
    double at = (double)stream->start + (double)stream->hardware / stream->rate;
    int64_t whole = (int64_t)floor(at), offset = whole - frame;
    float share = (float)(at - (double)whole);
    // Between two frames it takes the two behind as well: it lags by so much.
    if (offset + (is_exact ? 1 : 3) > (int64_t)count)
      break;
    if (offset < (is_exact ? 0 : -2))
      capture_frame(stream, 0, 0); // Nobody kept what was there before the stream began.
    else if (is_exact)
      capture_frame(stream, in[offset], line[offset]);
    else
      capture_frame(stream, sound_at(stream->past, in, offset, share),
                    sound_at(stream->line_past, line, offset, share));
  }
  if (count >= 3) {
    memcpy(stream->past, &in[count - 3], sizeof stream->past);
    memcpy(stream->line_past, &line[count - 3], sizeof stream->line_past);
  }
  return is_exact ? (size_t)(stream->hardware - before) : count - *first;
}

/// Nobody reads the timer, so one that is set to the same moment once more says the same: an ALSA
/// call costs no system call unless it changes when the application is to wake.
/// - at_ns: 0 switches it off.
static void set_timer(room_stream *stream, int64_t at_ns) {
  if (at_ns == stream->armed_ns)
    return;
  stream->armed_ns = at_ns;
  struct itimerspec when = {
      .it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000}};
  // Cannot fail: the descriptor is a timer of ours and the time is valid.
  timerfd_settime(stream->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void set_timer_expired(room_stream *stream) {
  set_timer(stream, 1);
}

static void set_timer_off(room_stream *stream) {
  set_timer(stream, 0);
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
    set_timer(stream, room_clock_time_of(clock, stream_room_frame(stream, boundary)));
  }
}
