#include "alsa_parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE_HZ 48000u
#define RATE_LEAST_HZ 8000u
#define RATE_MOST_HZ 192000u
#define PERIOD_US 10000u
#define PERIOD_LEAST_US 1000u
#define PERIOD_MOST_US 100000u
/// Buffers are as long as this many periods where the device allows it, and at least 80 ms.
#define BUFFER_PERIODS 8
#define BUFFER_LEAST_US 80000u

static const snd_pcm_format_t formats[AD_FORMAT_COUNT] = {
    [AD_S16] = SND_PCM_FORMAT_S16,     [AD_S32] = SND_PCM_FORMAT_S32,
    [AD_FLOAT] = SND_PCM_FORMAT_FLOAT, [AD_S24_3LE] = SND_PCM_FORMAT_S24_3LE,
    [AD_S24] = SND_PCM_FORMAT_S24,
};

/// Those above speech's bandwidth first; among them ours, then the exact multiples.
static const unsigned rates[] = {RATE_HZ, 96000, 192000, 44100, 88200, 176400,
                                 32000,   24000, 22050,  16000, 11025, 8000};

/// What is being negotiated.
typedef struct {
  snd_pcm_t *pcm;
  snd_pcm_hw_params_t *space;
  const ad_config *config;
  ad_pcm_shape *shape;
  char *why;
  size_t why_bytes;
} negotiation;

static int lacks(const negotiation *with, const char *what) {
  snprintf(with->why, with->why_bytes, "%s", what);
  return -EINVAL;
}

static int choose_access(const negotiation *with) {
  static const snd_pcm_access_t accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED,
                                              SND_PCM_ACCESS_MMAP_INTERLEAVED};
  bool wants_map = with->config->access == AD_ACCESS_MAPPED;
  for (int i = 0; i < 2; i++) {
    with->shape->is_mapped = wants_map != (i == 1);
    if (snd_pcm_hw_params_set_access(with->pcm, with->space, accesses[with->shape->is_mapped]) == 0)
      return 0;
  }
  return lacks(with, "it has no interleaved access");
}

static int choose_format(const negotiation *with) {
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    if (snd_pcm_hw_params_set_format(with->pcm, with->space, formats[format]) == 0) {
      with->shape->format = (ad_format)format;
      return 0;
    }
  }
  return lacks(with, "it has none of the formats S16, S32, FLOAT, S24_3LE and S24");
}

static int choose_rate(const negotiation *with) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    if (snd_pcm_hw_params_set_rate(with->pcm, with->space, rates[i], 0) == 0) {
      with->shape->rate_hz = rates[i];
      return 0;
    }
  }
  unsigned near = RATE_HZ;
  if (snd_pcm_hw_params_set_rate_near(with->pcm, with->space, &near, NULL) < 0 ||
      near < RATE_LEAST_HZ || near > RATE_MOST_HZ)
    return lacks(with, "it has no rate from 8000 to 192000 Hz");
  with->shape->rate_hz = near;
  return 0;
}

static int choose_channels(const negotiation *with) {
  unsigned microphone = with->config->microphone_channel;
  unsigned reference = with->config->reference_channel;
  unsigned needed = 1;
  if (with->shape->captures)
    needed = microphone > reference ? microphone : reference;
  unsigned channels = needed > 1 ? needed : 1;
  int result = snd_pcm_hw_params_set_channels_near(with->pcm, with->space, &channels);
  with->shape->channels = channels;
  if (result < 0 || channels > AD_CHANNELS_MAX)
    return lacks(with, "it has more than 32 channels");
  if (channels < needed)
    return lacks(with, "it has fewer channels than the one that was chosen");
  return 0;
}

/// One order of asking; the other may succeed where this fails, for each narrows the other.
static int set_sizes(const negotiation *with, snd_pcm_uframes_t period, snd_pcm_uframes_t buffer,
                     bool is_period_first) {
  int result = 0;
  if (is_period_first)
    result = snd_pcm_hw_params_set_period_size_near(with->pcm, with->space, &period, NULL);
  if (result == 0)
    result = snd_pcm_hw_params_set_buffer_size_near(with->pcm, with->space, &buffer);
  if (result == 0 && !is_period_first)
    result = snd_pcm_hw_params_set_period_size_near(with->pcm, with->space, &period, NULL);
  return result < 0 ? result : snd_pcm_hw_params(with->pcm, with->space);
}

static int choose_sizes(const negotiation *with) {
  uint32_t wanted_us = with->config->period_us ? with->config->period_us : PERIOD_US;
  if (wanted_us < PERIOD_LEAST_US || wanted_us > PERIOD_MOST_US)
    return lacks(with, "periods are 1 to 100 ms long");
  uint32_t periods = with->config->buffer_periods ? with->config->buffer_periods : BUFFER_PERIODS;
  uint64_t buffer_us = (uint64_t)wanted_us * periods;
  if (!with->config->buffer_periods && buffer_us < BUFFER_LEAST_US)
    buffer_us = BUFFER_LEAST_US;
  with->shape->is_batch = snd_pcm_hw_params_is_batch(with->space) != 0;
  // Such a device moves by whole periods: shorter ones make its steps smaller.
  uint32_t period_us = with->shape->is_batch ? wanted_us / 2 : wanted_us;
  snd_pcm_uframes_t period = (uint64_t)with->shape->rate_hz * period_us / 1000000;
  snd_pcm_uframes_t buffer = with->shape->rate_hz * buffer_us / 1000000;
  snd_pcm_hw_params_t *before;
  snd_pcm_hw_params_alloca(&before);
  snd_pcm_hw_params_copy(before, with->space);
  int result = -EINVAL;
  // Whole periods if possible, and each order of asking.
  for (int attempt = 0; attempt < 4 && result < 0; attempt++) {
    snd_pcm_hw_params_copy(with->space, before);
    if (attempt < 2 && snd_pcm_hw_params_set_periods_integer(with->pcm, with->space) < 0)
      continue;
    result = set_sizes(with, period, buffer, attempt % 2 == 0);
  }
  if (result < 0)
    return result == -EINVAL ? lacks(with, "it takes no period and buffer near 10 and 80 ms")
                             : result;
  snd_pcm_hw_params_get_period_size(with->space, &period, NULL);
  snd_pcm_hw_params_get_buffer_size(with->space, &buffer);
  with->shape->period = (uint32_t)period;
  with->shape->buffer = (uint32_t)buffer;
  // A block must fit beside one that plays or fills.
  if ((uint64_t)buffer * 50 < with->shape->rate_hz)
    return lacks(with, "its buffer holds less than 20 ms");
  return 0;
}

static int set_hardware(const negotiation *with, bool lets_alsa_convert) {
  int result = snd_pcm_hw_params_any(with->pcm, with->space);
  if (result < 0)
    return result;
  // Without effect on a card itself. ALSA's converter is worse than ours, and plays other rates
  // than asked for with some plugins.
  snd_pcm_hw_params_set_rate_resample(with->pcm, with->space, lets_alsa_convert);
  result = choose_access(with);
  if (result == 0)
    result = choose_format(with);
  if (result == 0)
    result = choose_rate(with);
  if (result == 0)
    result = choose_channels(with);
  return result < 0 ? result : choose_sizes(with);
}

static int set_software(const ad_pcm_shape *shape) {
  snd_pcm_sw_params_t *params;
  snd_pcm_sw_params_alloca(&params);
  int result = snd_pcm_sw_params_current(shape->handle, params);
  if (result < 0)
    return result;
  snd_pcm_uframes_t boundary;
  snd_pcm_sw_params_get_boundary(params, &boundary);
  // Started by hand only; an xrun stops it, so that it is seen.
  snd_pcm_sw_params_set_start_threshold(shape->handle, params, boundary);
  snd_pcm_sw_params_set_stop_threshold(shape->handle, params, shape->buffer);
  // A block, also where periods are longer: what was left of the last one may complete it.
  snd_pcm_sw_params_set_avail_min(shape->handle, params, (shape->rate_hz + 99) / 100);
  snd_pcm_sw_params_set_tstamp_mode(shape->handle, params, SND_PCM_TSTAMP_ENABLE);
  snd_pcm_sw_params_set_tstamp_type(shape->handle, params, SND_PCM_TSTAMP_TYPE_MONOTONIC);
  if (!shape->captures) {
    // What comes too late plays silence, not the sound of 80 ms ago; not every plugin can.
    snd_pcm_sw_params_set_silence_threshold(shape->handle, params, 0);
    snd_pcm_sw_params_set_silence_size(shape->handle, params, boundary);
    if (snd_pcm_sw_params(shape->handle, params) == 0)
      return 0;
    snd_pcm_sw_params_set_silence_size(shape->handle, params, 0);
  }
  return snd_pcm_sw_params(shape->handle, params);
}

static uint32_t first_channels(unsigned count) {
  return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

/// Where the channel map has one of these positions.
static uint32_t positions(const snd_pcm_chmap_t *map, const unsigned *wanted, size_t count) {
  uint32_t mask = 0;
  for (unsigned c = 0; map && c < map->channels && c < AD_CHANNELS_MAX; c++)
    for (size_t w = 0; w < count; w++)
      if (map->pos[c] == wanted[w])
        mask |= 1u << c;
  return mask;
}

/// Which channels carry the sound. A map with another count than the device's is not believed.
static void choose_mask(ad_pcm_shape *shape, const ad_config *config) {
  static const unsigned fronts[] = {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_MONO};
  static const unsigned no_voice[] = {SND_CHMAP_LFE, SND_CHMAP_NA};
  uint32_t all = first_channels(shape->channels);
  snd_pcm_chmap_t *map = snd_pcm_get_chmap(shape->handle);
  if (map && map->channels != shape->channels) {
    free(map);
    map = NULL;
  }
  if (shape->captures) {
    if (config->reference_channel)
      shape->reference = 1u << (config->reference_channel - 1);
    uint32_t heard = all & ~shape->reference & ~positions(map, no_voice, 2);
    shape->mask = config->microphone_channel ? 1u << (config->microphone_channel - 1)
                  : heard                    ? heard
                                             : all;
  } else {
    // The others of a surround card stay silent; without a map the fronts are the first two.
    uint32_t front = positions(map, fronts, 3);
    shape->mask = front ? front : all & 3;
  }
  free(map);
}

int ad_pcm_open(ad_pcm **out, const char *name, bool captures, const ad_config *config,
                bool lets_alsa_convert, char *why, size_t why_bytes) {
  ad_pcm_shape shape = {.calls = &ad_alsa_library, .captures = captures};
  snprintf(shape.name, sizeof shape.name, "%s", name);
  why[0] = 0;
  snd_pcm_stream_t stream = captures ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK;
  int result = snd_pcm_open(&shape.handle, name, stream, SND_PCM_NONBLOCK);
  if (result < 0)
    return result;
  snd_pcm_hw_params_t *space;
  snd_pcm_hw_params_alloca(&space);
  negotiation with = {.pcm = shape.handle,
                      .space = space,
                      .config = config,
                      .shape = &shape,
                      .why = why,
                      .why_bytes = why_bytes};
  result = set_hardware(&with, lets_alsa_convert);
  if (result == 0)
    result = set_software(&shape);
  if (result < 0) {
    snd_pcm_close(shape.handle);
    return result;
  }
  choose_mask(&shape, config);
  return ad_pcm_create(out, &shape);
}
