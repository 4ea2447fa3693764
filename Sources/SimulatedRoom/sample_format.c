#include "sample_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// 16-bit samples scale by 2^15 both ways, so that what is said arrives bit for bit.
#define SCALE_16 32768.0f
#define SCALE_24 8388608.0f
#define SCALE_32 2147483648.0
/// A pair of loudspeakers on the first channels; the other outputs of a card lead nowhere.
#define SPEAKERS 2

static char *address(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
  return (char *)area->addr + (area->first + area->step * frame) / 8;
}

/// The lower three bytes, whether three or four belong to the sample.
static int32_t read_24(const char *at) {
  const uint8_t *bytes = (const uint8_t *)at;
  uint32_t word = (uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 24;
  return (int32_t)word >> 8;
}

/// - has_fourth: the upper byte of four means nothing; a card leaves anything in it.
static void write_24(char *at, int32_t value, bool has_fourth) {
  uint8_t *bytes = (uint8_t *)at;
  for (int i = 0; i < 3; i++)
    bytes[i] = (uint8_t)((uint32_t)value >> (8 * i));
  if (has_fourth)
    bytes[3] = 0xa5;
}

float sample_format_read(const snd_pcm_channel_area_t *areas, unsigned channels,
                         snd_pcm_format_t format, snd_pcm_uframes_t frame) {
  float sum = 0;
  if (channels > SPEAKERS)
    channels = SPEAKERS;
  for (unsigned channel = 0; channel < channels; channel++) {
    const char *at = address(&areas[channel], frame);
    if (format == SND_PCM_FORMAT_S16_LE)
      sum += *(const int16_t *)at / SCALE_16;
    else if (format == SND_PCM_FORMAT_S32_LE)
      sum += (float)(*(const int32_t *)at / SCALE_32);
    else if (format == SND_PCM_FORMAT_S24_3LE || format == SND_PCM_FORMAT_S24_LE)
      sum += (float)read_24(at) / SCALE_24;
    else
      sum += *(const float *)at;
  }
  return sum / (float)channels;
}

static double clamped(double value, double limit) {
  return value > limit - 1 ? limit - 1 : value < -limit ? -limit : value;
}

void sample_format_write(const snd_pcm_channel_area_t *area, snd_pcm_format_t format,
                         snd_pcm_uframes_t frame, float value) {
  char *at = address(area, frame);
  if (format == SND_PCM_FORMAT_S16_LE)
    *(int16_t *)at = (int16_t)lrint(clamped((double)value * SCALE_16, SCALE_16));
  else if (format == SND_PCM_FORMAT_S32_LE)
    *(int32_t *)at = (int32_t)lrint(clamped((double)value * SCALE_32, SCALE_32));
  else if (format == SND_PCM_FORMAT_S24_3LE || format == SND_PCM_FORMAT_S24_LE)
    write_24(at, (int32_t)lrint(clamped((double)value * SCALE_24, SCALE_24)),
             format == SND_PCM_FORMAT_S24_LE);
  else
    *(float *)at = value;
}
