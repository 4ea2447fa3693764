#include "alsa_pcm.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "audio_wake.h"

#if defined(__clang__)
// alsa-lib knows no such promise. It runs here without its own locks (one thread for each PCM).
#pragma clang diagnostic ignored "-Wfunction-effects"
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define LIBRARY_BEGIN __rtsan_disable()
#define LIBRARY_END __rtsan_enable()
#endif
#endif
#ifndef LIBRARY_BEGIN
#define LIBRARY_BEGIN (void)0
#define LIBRARY_END (void)0
#endif

#define RATE_HZ 48000u
/// Buffers are as long as this many periods where the device allows it.
#define BUFFER_PERIODS 8
/// More channels than this and the device is refused.
#define CHANNELS_MAX 32
#define PAUSE_MAX_NS 50000000

struct ad_pcm {
  snd_pcm_t *handle;
  bool capture;
  ad_format format;
  unsigned channels;
  snd_pcm_uframes_t period, buffer;
  char name[96];
  void *frames; ///< one block in the device's own format
  size_t have;  ///< frames of it read so far
};

static const snd_pcm_format_t formats[AD_FORMAT_COUNT] = {
    [AD_S16] = SND_PCM_FORMAT_S16,     [AD_S32] = SND_PCM_FORMAT_S32,
    [AD_FLOAT] = SND_PCM_FORMAT_FLOAT, [AD_S24_3LE] = SND_PCM_FORMAT_S24_3LE,
    [AD_S24] = SND_PCM_FORMAT_S24,
};

static int choose_format(ad_pcm *pcm, snd_pcm_hw_params_t *params) {
  for (int format = 0; format < AD_FORMAT_COUNT; format++) {
    if (snd_pcm_hw_params_set_format(pcm->handle, params, formats[format]) == 0) {
      pcm->format = (ad_format)format;
      return 0;
    }
  }
  return -EINVAL;
}

static int set_hardware(ad_pcm *pcm) {
  snd_pcm_hw_params_t *params;
  snd_pcm_hw_params_alloca(&params);
  int result = snd_pcm_hw_params_any(pcm->handle, params);
  if (result < 0)
    return result;
  result = snd_pcm_hw_params_set_access(pcm->handle, params, SND_PCM_ACCESS_RW_INTERLEAVED);
  if (result == 0)
    result = choose_format(pcm, params);
  if (result == 0)
    result = snd_pcm_hw_params_set_rate(pcm->handle, params, RATE_HZ, 0);
  pcm->channels = 1;
  if (result == 0)
    result = snd_pcm_hw_params_set_channels_near(pcm->handle, params, &pcm->channels);
  if (result == 0 && pcm->channels > CHANNELS_MAX)
    result = -EINVAL;
  if (result < 0)
    return result;
  int direction = 0;
  pcm->period = VC_BLOCK_FRAMES;
  snd_pcm_hw_params_set_period_size_near(pcm->handle, params, &pcm->period, &direction);
  pcm->buffer = pcm->period * BUFFER_PERIODS;
  snd_pcm_hw_params_set_buffer_size_near(pcm->handle, params, &pcm->buffer);
  result = snd_pcm_hw_params(pcm->handle, params);
  if (result < 0)
    return result;
  snd_pcm_hw_params_get_period_size(params, &pcm->period, &direction);
  snd_pcm_hw_params_get_buffer_size(params, &pcm->buffer);
  // A block must fit beside one that plays or fills.
  return pcm->buffer < 2 * VC_BLOCK_FRAMES ? -EINVAL : 0;
}

static int set_software(ad_pcm *pcm) {
  snd_pcm_sw_params_t *params;
  snd_pcm_sw_params_alloca(&params);
  int result = snd_pcm_sw_params_current(pcm->handle, params);
  if (result < 0)
    return result;
  snd_pcm_uframes_t boundary;
  snd_pcm_sw_params_get_boundary(params, &boundary);
  // Started by hand only; an xrun stops it, so that it is seen.
  snd_pcm_sw_params_set_start_threshold(pcm->handle, params, boundary);
  snd_pcm_sw_params_set_stop_threshold(pcm->handle, params, pcm->buffer);
  snd_pcm_sw_params_set_avail_min(pcm->handle, params, pcm->period);
  snd_pcm_sw_params_set_tstamp_mode(pcm->handle, params, SND_PCM_TSTAMP_ENABLE);
  snd_pcm_sw_params_set_tstamp_type(pcm->handle, params, SND_PCM_TSTAMP_TYPE_MONOTONIC);
  return snd_pcm_sw_params(pcm->handle, params);
}

int ad_pcm_open(ad_pcm **out, const char *name, bool capture) {
  ad_pcm *pcm = calloc(1, sizeof *pcm);
  if (!pcm)
    return -ENOMEM;
  pcm->capture = capture;
  snprintf(pcm->name, sizeof pcm->name, "%s", name);
  snd_pcm_stream_t stream = capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK;
  int result = snd_pcm_open(&pcm->handle, name, stream, SND_PCM_NONBLOCK);
  if (result < 0) {
    free(pcm);
    return result;
  }
  result = set_hardware(pcm);
  if (result == 0)
    result = set_software(pcm);
  if (result == 0) {
    pcm->frames = calloc(VC_SPEAKER_FRAMES_MAX * pcm->channels, ad_format_bytes(pcm->format));
    result = pcm->frames ? 0 : -ENOMEM;
  }
  if (result < 0) {
    ad_pcm_close(pcm);
    return result;
  }
  *out = pcm;
  return 0;
}

void ad_pcm_close(ad_pcm *pcm) {
  if (!pcm)
    return;
  snd_pcm_close(pcm->handle);
  free(pcm->frames);
  free(pcm);
}

void ad_pcm_describe(const ad_pcm *pcm, char *out, size_t bytes) {
  snprintf(out, bytes, "%s %s %u Hz %u ch, period %lu, buffer %lu frames", pcm->name,
           snd_pcm_format_name(formats[pcm->format]), RATE_HZ, pcm->channels, pcm->period,
           pcm->buffer);
}

uint32_t ad_pcm_period_frames(const ad_pcm *pcm) VD_NONBLOCKING {
  return (uint32_t)pcm->period;
}

uint32_t ad_pcm_buffer_frames(const ad_pcm *pcm) VD_NONBLOCKING {
  return (uint32_t)pcm->buffer;
}

bool ad_pcm_is_defined(const char *name) {
  snd_config_t *definition;
  if (snd_config_update() < 0)
    return false;
  if (snd_config_search_definition(snd_config, "pcm", name, &definition) < 0)
    return false;
  snd_config_delete(definition);
  return true;
}

int ad_pcm_prepare(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_prepare(pcm->handle);
  LIBRARY_END;
  pcm->have = 0;
  return result;
}

int ad_pcm_start(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  // Some plugins start by themselves when they are written to.
  int result = snd_pcm_state(pcm->handle) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(pcm->handle);
  LIBRARY_END;
  return result;
}

int ad_pcm_drop(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_drop(pcm->handle);
  LIBRARY_END;
  return result;
}

int ad_pcm_resume(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_resume(pcm->handle);
  LIBRARY_END;
  return result;
}

ad_pcm_state ad_pcm_get_state(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  snd_pcm_state_t state = snd_pcm_state(pcm->handle);
  LIBRARY_END;
  switch (state) {
  case SND_PCM_STATE_RUNNING:
    return AD_RUNNING;
  case SND_PCM_STATE_SUSPENDED:
    return AD_SUSPENDED;
  case SND_PCM_STATE_DISCONNECTED:
    return AD_GONE;
  case SND_PCM_STATE_PREPARED:
    return AD_READY;
  default:
    return AD_DRY;
  }
}

long ad_pcm_avail(ad_pcm *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  long avail = snd_pcm_avail_update(pcm->handle);
  LIBRARY_END;
  return avail < 0 ? avail : avail + (long)pcm->have;
}

uint32_t ad_pcm_delay_frames(ad_pcm *pcm) VD_NONBLOCKING {
  snd_pcm_sframes_t delay = 0;
  LIBRARY_BEGIN;
  int result = snd_pcm_delay(pcm->handle, &delay);
  LIBRARY_END;
  // Drivers report nonsense around an xrun; five buffers is the bound that other servers use.
  if (result < 0 || delay < 0)
    delay = 0;
  if (delay > (snd_pcm_sframes_t)(5 * pcm->buffer))
    delay = (snd_pcm_sframes_t)(5 * pcm->buffer);
  return (uint32_t)delay + (uint32_t)(pcm->capture ? pcm->have : 0);
}

static void *frame_at(ad_pcm *pcm, size_t frame) {
  return (char *)pcm->frames + frame * pcm->channels * ad_format_bytes(pcm->format);
}

int ad_pcm_read_block(ad_pcm *pcm, float *mono) VD_NONBLOCKING {
  while (pcm->have < VC_BLOCK_FRAMES) {
    LIBRARY_BEGIN;
    snd_pcm_sframes_t got =
        snd_pcm_readi(pcm->handle, frame_at(pcm, pcm->have), VC_BLOCK_FRAMES - pcm->have);
    LIBRARY_END;
    if (got <= 0)
      return got == 0 ? -EAGAIN : (int)got;
    pcm->have += (size_t)got;
  }
  pcm->have = 0;
  ad_mix_to_mono(pcm->format, pcm->frames, pcm->channels, VC_BLOCK_FRAMES, mono);
  return 0;
}

long ad_pcm_write(ad_pcm *pcm, const float *mono, size_t count) VD_NONBLOCKING {
  ad_spread_mono(pcm->format, mono, count, pcm->channels, pcm->frames);
  size_t written = 0;
  while (written < count) {
    LIBRARY_BEGIN;
    snd_pcm_sframes_t took = snd_pcm_writei(pcm->handle, frame_at(pcm, written), count - written);
    LIBRARY_END;
    if (took == -EAGAIN || took == 0)
      break;
    if (took < 0)
      return took;
    written += (size_t)took;
  }
  return (long)written;
}

int ad_pcm_wait(ad_pcm *pcm, int stop, int timeout_ms) VD_NONBLOCKING {
  struct pollfd descriptors[AD_POLL_MAX + 1];
  LIBRARY_BEGIN;
  int count = snd_pcm_poll_descriptors(pcm->handle, &descriptors[1], AD_POLL_MAX);
  if (count < 0)
    count = 0;
  descriptors[0] = (struct pollfd){.fd = stop, .events = POLLIN};
  int ready = poll(descriptors, (nfds_t)count + 1, timeout_ms);
  if (ready > 0) {
    // Plugins clear their timers in here; what it says is not believed, the loop asks for avail.
    unsigned short events;
    snd_pcm_poll_descriptors_revents(pcm->handle, &descriptors[1], (unsigned)count, &events);
  }
  LIBRARY_END;
  if (ready > 0 && descriptors[0].revents)
    return 2;
  return ready == 0 ? 0 : 1;
}

int64_t ad_now_ns(void) VD_NONBLOCKING {
  struct timespec now;
  LIBRARY_BEGIN;
  clock_gettime(CLOCK_MONOTONIC, &now);
  LIBRARY_END;
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void ad_pause_ns(int64_t duration_ns) VD_NONBLOCKING {
  if (duration_ns <= 0)
    return;
  if (duration_ns > PAUSE_MAX_NS)
    duration_ns = PAUSE_MAX_NS;
  struct timespec pause = {.tv_nsec = (long)duration_ns};
  LIBRARY_BEGIN;
  nanosleep(&pause, NULL);
  LIBRARY_END;
}

void ad_wake_signal(int descriptor) VD_NONBLOCKING {
  // Here because it is the audio thread's one system call besides ALSA's and poll.
  uint64_t one = 1;
  LIBRARY_BEGIN;
  // It never waits; a full counter leaves the descriptor readable, which is all that is wanted.
  ssize_t written = write(descriptor, &one, sizeof one);
  LIBRARY_END;
  (void)written;
}
