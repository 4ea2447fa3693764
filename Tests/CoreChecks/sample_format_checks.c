#include "sample_format.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { CHANNELS_MAX = 16, FRAMES = 480 };
static const uint32_t ALL = UINT32_MAX;

/// Bits of a sample that carry sound.
static const int bits[AD_FORMAT_COUNT] = {
    [AD_S16] = 16, [AD_S32] = 32, [AD_FLOAT] = 25, [AD_S24_3LE] = 24, [AD_S24] = 24};

/// Reads one sample of the layout by hand, as ALSA describes it.
static double read_sample(ad_format format, const uint8_t *at) {
  int32_t wide = 0;
  int16_t narrow = 0;
  float real = 0;
  switch (format) {
  case AD_S16:
    memcpy(&narrow, at, 2);
    return narrow / 32768.0;
  case AD_S32:
    memcpy(&wide, at, 4);
    return wide / 2147483648.0;
  case AD_S24_3LE:
    wide = at[0] | at[1] << 8 | (int8_t)at[2] * 65536;
    return wide / 8388608.0;
  case AD_S24:
    memcpy(&wide, at, 4);
    return wide / 8388608.0;
  default:
    memcpy(&real, at, 4);
    return real;
  }
}

CHECK_CASE(every_format_and_channel_count_carries_the_sound) {
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    const size_t bytes = ad_format_bytes((ad_format)format);
    const double step = ldexp(1, 1 - bits[format]);
    for (unsigned channels = 1; channels <= CHANNELS_MAX; channels++) {
      float mono[FRAMES];
      float back[FRAMES];
      uint8_t *frames = malloc(FRAMES * channels * bytes);
      for (int i = 0; i < FRAMES; i++)
        mono[i] = 0.9f * sinf(0.07f * (float)i);
      mono[0] = 0;
      mono[1] = -1;
      ad_spread_mono((ad_format)format, mono, FRAMES, channels, ALL, frames);
      double worst = 0;
      for (size_t i = 0; i < FRAMES * channels; i++) {
        const double error =
            fabs(read_sample((ad_format)format, frames + i * bytes) - mono[i / channels]);
        worst = error > worst ? error : worst;
      }
      CHECK(worst <= step / 2);
      ad_mix_to_mono((ad_format)format, frames, channels, ALL, FRAMES, back);
      double returned = 0;
      for (int i = 0; i < FRAMES; i++)
        returned = fmax(returned, fabs(back[i] - mono[i]));
      // Half a step, and the last bit of the float mean.
      CHECK(returned <= step / 2 + 1.2e-7);
      CHECK(back[0] == 0 && back[1] == -1);
      free(frames);
    }
  }
}

CHECK_CASE(channels_are_averaged) {
  const int16_t narrow[] = {16384, -16384, 32767, 32767, -32768, 0};
  float out[3];
  ad_mix_to_mono(AD_S16, narrow, 2, ALL, 3, out);
  CHECK(out[0] == 0);
  CHECK(out[1] == 32767.0f / 32768.0f);
  CHECK(out[2] == -0.5f);
  const float real[] = {0.25f, 0.75f};
  ad_mix_to_mono(AD_FLOAT, real, 2, ALL, 1, out);
  CHECK(out[0] == 0.5f);
}

CHECK_CASE(only_the_chosen_channels_are_heard_and_only_the_fronts_sound) {
  const int16_t in[] = {100, 200, 300, 400, 500, 600};
  float out[2];
  ad_mix_to_mono(AD_S16, in, 3, 1u << 1, 2, out);
  CHECK(out[0] == 200.0f / 32768 && out[1] == 500.0f / 32768);
  ad_mix_to_mono(AD_S16, in, 3, 0, 2, out);
  CHECK(out[0] == 0 && out[1] == 0);
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    const size_t bytes = ad_format_bytes((ad_format)format);
    uint8_t frames[2 * 4 * 4];
    memset(frames, 0x5a, sizeof frames);
    const float mono[] = {0.5f, -0.5f};
    ad_spread_mono((ad_format)format, mono, 2, 4, 3, frames);
    for (int i = 0; i < 8; i++) {
      const double value = read_sample((ad_format)format, frames + (size_t)i * bytes);
      CHECK(value == (i % 4 >= 2 ? 0 : i < 4 ? 0.5 : -0.5));
    }
  }
}

CHECK_CASE(too_loud_is_clipped_and_never_wraps) {
  const float loud[] = {1, 1.0001f, 7, INFINITY, -1, -1.0001f, -7, -INFINITY};
  enum { COUNT = sizeof loud / sizeof *loud };
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    uint8_t frames[COUNT * 4];
    ad_spread_mono((ad_format)format, loud, COUNT, 1, ALL, frames);
    const size_t bytes = ad_format_bytes((ad_format)format);
    for (size_t i = 0; i < COUNT; i++) {
      const double value = read_sample((ad_format)format, frames + i * bytes);
      CHECK(i < COUNT / 2 ? value > 0.9999 && value <= 1 : value == -1);
    }
  }
}

CHECK_CASE(no_bits_of_a_device_become_something_that_is_no_number) {
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    uint8_t frames[FRAMES * 2 * 4];
    float out[FRAMES];
    int insane = 0;
    for (int round = 0; round < 50; round++) {
      for (size_t i = 0; i < sizeof frames; i++)
        frames[i] = (uint8_t)checks_random();
      if (format == AD_FLOAT) {
        const float nothing = round % 2 ? NAN : -INFINITY;
        memcpy(&frames[8], &nothing, sizeof nothing);
      }
      ad_mix_to_mono((ad_format)format, frames, 2, ALL, FRAMES, out);
      for (int i = 0; i < FRAMES; i++)
        insane += format == AD_FLOAT ? !isfinite(out[i]) : !(out[i] >= -1 && out[i] <= 1);
    }
    CHECK(insane == 0);
  }
  // Of 24 bits in 32 the upper byte means nothing.
  const uint32_t dirty = 0xab400000u;
  float out;
  ad_mix_to_mono(AD_S24, &dirty, 1, ALL, 1, &out);
  CHECK(out == 0.5f);
  const float nothing = NAN;
  int16_t narrow = 1;
  ad_spread_mono(AD_S16, &nothing, 1, 1, ALL, &narrow);
  CHECK(narrow == INT16_MIN);
}
