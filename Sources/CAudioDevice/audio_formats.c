#include "audio_formats.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdio.h>

#include "alsa_words.h"

static const snd_pcm_format_t formats[] = {
    SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_3LE,  SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S32_LE,
    SND_PCM_FORMAT_S20_LE, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_U8,     SND_PCM_FORMAT_MU_LAW,
};
static const uint32_t rates[] = {8000,  11025, 16000, 22050, 24000,  32000,
                                 44100, 48000, 88200, 96000, 176400, 192000};

static void read_space(snd_pcm_t *pcm, snd_pcm_hw_params_t *space, ad_native_format *out) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats && out->format_count < AD_FORMATS_MAX;
       i++)
    if (snd_pcm_hw_params_test_format(pcm, space, formats[i]) == 0)
      snprintf(out->formats[out->format_count++], sizeof out->formats[0], "%s",
               snd_pcm_format_name(formats[i]));
  for (size_t i = 0; i < sizeof rates / sizeof *rates && out->rate_count < AD_RATES_MAX; i++)
    if (snd_pcm_hw_params_test_rate(pcm, space, rates[i], 0) == 0)
      out->rates[out->rate_count++] = rates[i];
  unsigned value = 0;
  int direction = 0;
  if (snd_pcm_hw_params_get_channels_min(space, &value) == 0)
    out->least_channels = value;
  if (snd_pcm_hw_params_get_channels_max(space, &value) == 0)
    out->most_channels = value;
  if (snd_pcm_hw_params_get_period_time_min(space, &value, &direction) == 0)
    out->least_period_us = value;
  if (snd_pcm_hw_params_get_period_time_max(space, &value, &direction) == 0)
    out->most_period_us = value;
}

int ad_native_format_read(const char *name, int captures, ad_native_format *out) {
  *out = (ad_native_format){0};
  ad_words_install();
  snd_pcm_t *pcm;
  snd_pcm_stream_t stream = captures ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK;
  int result = snd_pcm_open(&pcm, name, stream, SND_PCM_NONBLOCK);
  if (result < 0)
    return result;
  snd_pcm_hw_params_t *space;
  snd_pcm_hw_params_alloca(&space);
  result = snd_pcm_hw_params_any(pcm, space);
  if (result >= 0)
    read_space(pcm, space, out);
  snd_pcm_close(pcm);
  return result < 0 ? result : 0;
}
