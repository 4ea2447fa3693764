#include "sample_format.h"

#include <math.h>
#include <stdint.h>

// 16-bit samples scale by 2^15 both ways, so that what is said arrives bit for bit.
#define SCALE_16 32768.0f
#define SCALE_32 2147483648.0

static char *address(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
  return (char *)area->addr + (area->first + area->step * frame) / 8;
}

float sample_format_read(const snd_pcm_channel_area_t *areas, unsigned channels,
                         snd_pcm_format_t format, snd_pcm_uframes_t frame) {
  float sum = 0;
  for (unsigned channel = 0; channel < channels; channel++) {
    const char *at = address(&areas[channel], frame);
    if (format == SND_PCM_FORMAT_S16_LE)
      sum += *(const int16_t *)at / SCALE_16;
    else if (format == SND_PCM_FORMAT_S32_LE)
      sum += (float)(*(const int32_t *)at / SCALE_32);
    else
      sum += *(const float *)at;
  }
  return sum / (float)channels;
}

static double clamped(double value, double limit) {
  return value > limit - 1 ? limit - 1 : value < -limit ? -limit : value;
}

void sample_format_write(const snd_pcm_channel_area_t *areas, unsigned channels,
                         snd_pcm_format_t format, snd_pcm_uframes_t frame, float value) {
  for (unsigned channel = 0; channel < channels; channel++) {
    char *at = address(&areas[channel], frame);
    if (format == SND_PCM_FORMAT_S16_LE)
      *(int16_t *)at = (int16_t)lrint(clamped((double)value * SCALE_16, SCALE_16));
    else if (format == SND_PCM_FORMAT_S32_LE)
      *(int32_t *)at = (int32_t)lrint(clamped((double)value * SCALE_32, SCALE_32));
    else
      *(float *)at = value;
  }
}
