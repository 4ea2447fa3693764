#include "simulated_speaker.h"

#include <math.h>
#include <string.h>

#define MASK (AD_SPEAKER_FRAMES - 1)
#define BEFORE (VD_ASRC_TAPS / 2 - 1)
/// Capture frames played at once.
#define RUN_FRAMES 256

static float stream_at(const ad_speaker *speaker, int64_t frame) VD_NONBLOCKING {
  return frame < 0 || frame >= (int64_t)speaker->written ? 0 : speaker->stream[frame & MASK];
}

/// The sound of `count` capture frames from now on.
static void sound(ad_speaker *speaker, size_t count) VD_NONBLOCKING {
  const int64_t first = (int64_t)speaker->position - BEFORE;
  float near[RUN_FRAMES + RUN_FRAMES / 64 + VD_ASRC_TAPS + 2];
  const size_t length = (size_t)((double)count * speaker->speed) + VD_ASRC_TAPS + 2;
  for (size_t i = 0; i < length; i++)
    near[i] = stream_at(speaker, first + (int64_t)i);
  for (size_t i = 0; i < count; i++) {
    const double at = speaker->position + (double)i * speaker->speed - (double)(first + BEFORE);
    const size_t whole = (size_t)at;
    const double part = at - (double)whole;
    const float value =
        part == 0 ? near[whole + BEFORE] : vd_asrc_between(&speaker->filter, &near[whole], part);
    speaker->air[(speaker->now + i + speaker->hidden) & MASK] = value;
  }
}

static void hush(ad_speaker *speaker, size_t count) VD_NONBLOCKING {
  for (size_t i = 0; i < count; i++)
    speaker->air[(speaker->now + i + speaker->hidden) & MASK] = 0;
}

/// Capture frames until the stream runs dry, at most `count`.
static size_t playable(const ad_speaker *speaker, size_t count) VD_NONBLOCKING {
  const double left = ((double)speaker->written - speaker->position) / speaker->speed;
  return left >= (double)count ? count : left > 0 ? (size_t)left : 0;
}

/// Result: capture frames that passed.
static size_t play_run(ad_speaker *speaker, size_t count) VD_NONBLOCKING {
  if (speaker->pause > 0) {
    const size_t still = speaker->pause < count ? (size_t)speaker->pause : count;
    speaker->pause -= still;
    hush(speaker, still);
    return still;
  }
  const size_t played = speaker->is_dry ? 0 : playable(speaker, count);
  if (played == 0) {
    speaker->underruns += !speaker->is_dry;
    speaker->is_dry = true;
    speaker->position = (double)speaker->written;
    hush(speaker, count);
    return count;
  }
  if (!speaker->is_mute)
    sound(speaker, played);
  speaker->position += (double)played * speaker->speed;
  return played;
}

void ad_speaker_play(ad_speaker *speaker, uint64_t now) VD_NONBLOCKING {
  while (speaker->now < now) {
    const uint64_t left = now - speaker->now;
    speaker->now += play_run(speaker, left < RUN_FRAMES ? (size_t)left : RUN_FRAMES);
  }
}

void ad_speaker_write(ad_speaker *speaker, const float *frames, size_t count) VD_NONBLOCKING {
  for (size_t i = 0; i < count; i++)
    speaker->stream[(speaker->written + i) & MASK] = frames ? frames[i] : 0;
  speaker->written += count;
}

uint32_t ad_speaker_drop(ad_speaker *speaker) VD_NONBLOCKING {
  const uint64_t played = (uint64_t)ceil(speaker->position);
  const uint64_t dropped = speaker->written > played ? speaker->written - played : 0;
  speaker->written -= dropped;
  speaker->position = (double)speaker->written;
  return (uint32_t)dropped;
}

double ad_speaker_delay(const ad_speaker *speaker) VD_NONBLOCKING {
  return (double)speaker->written - speaker->position;
}

float ad_speaker_heard(const ad_speaker *speaker, uint64_t frame) VD_NONBLOCKING {
  return speaker->air[frame & MASK];
}
