#include "sample_format.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

size_t ad_format_bytes(ad_format format) VD_NONBLOCKING {
  switch (format) {
  case AD_S16:
    return 2;
  case AD_S24_3LE:
    return 3;
  default:
    return 4;
  }
}

static float load(ad_format format, const uint8_t *at) {
  int16_t narrow;
  int32_t wide;
  float real;
  switch (format) {
  case AD_S16:
    memcpy(&narrow, at, sizeof narrow);
    return (float)narrow / 32768.0f;
  case AD_S32:
    memcpy(&wide, at, sizeof wide);
    return (float)wide / 2147483648.0f;
  case AD_S24_3LE:
    wide = (int32_t)((uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24);
    return (float)wide / 2147483648.0f;
  case AD_S24: // The upper byte is not defined: shift it out.
    memcpy(&wide, at, sizeof wide);
    return (float)(int32_t)((uint32_t)wide << 8) / 2147483648.0f;
  default:
    memcpy(&real, at, sizeof real);
    return isfinite(real) ? real : 0; // One NaN would stay in every filter behind.
  }
}

/// A sample as an integer of -scale..scale - 1; the way back gives the same bits.
static int32_t quantise(float value, double scale) {
  double scaled = (double)value * scale;
  if (!(scaled > -scale))
    return (int32_t)-scale; // Not a number ends here too.
  return scaled > scale - 1 ? (int32_t)(scale - 1) : (int32_t)lrint(scaled);
}

static void store(ad_format format, float value, uint8_t *at) {
  int16_t narrow;
  int32_t wide;
  switch (format) {
  case AD_S16:
    narrow = (int16_t)quantise(value, 32768.0);
    memcpy(at, &narrow, sizeof narrow);
    break;
  case AD_S32:
    wide = quantise(value, 2147483648.0);
    memcpy(at, &wide, sizeof wide);
    break;
  case AD_S24_3LE:
    wide = quantise(value, 8388608.0);
    at[0] = (uint8_t)wide;
    at[1] = (uint8_t)(wide >> 8);
    at[2] = (uint8_t)(wide >> 16);
    break;
  case AD_S24:
    wide = quantise(value, 8388608.0);
    memcpy(at, &wide, sizeof wide);
    break;
  default:
    value = value > 1.0f ? 1.0f : value < -1.0f ? -1.0f : value;
    memcpy(at, &value, sizeof value);
    break;
  }
}

void ad_mix_to_mono(ad_format format, const void *frames, unsigned channels, uint32_t mask,
                    size_t count, float *out) VD_NONBLOCKING {
  const uint8_t *at = frames;
  size_t bytes = ad_format_bytes(format);
  unsigned mixed = 0;
  for (unsigned c = 0; c < channels; c++)
    mixed += mask >> c & 1;
  for (size_t i = 0; i < count; i++) {
    double sum = 0; // So that equal channels give their own value again, whatever their number.
    for (unsigned c = 0; c < channels; c++, at += bytes)
      if (mask >> c & 1)
        sum += load(format, at);
    out[i] = mixed ? (float)(sum / mixed) : 0;
  }
}

void ad_spread_mono(ad_format format, const float *mono, size_t count, unsigned channels,
                    uint32_t mask, void *frames) VD_NONBLOCKING {
  uint8_t *at = frames;
  size_t bytes = ad_format_bytes(format);
  for (size_t i = 0; i < count; i++)
    for (unsigned c = 0; c < channels; c++, at += bytes) {
      if (mask >> c & 1)
        store(format, mono[i], at);
      else
        memset(at, 0, bytes); // Zero in all formats, for all are signed.
    }
}
