#include "alsa_pcm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "voice_resample.h"

#define RATE_HZ 48000u
/// Samples of a lane that wait at most: less than a block, and what one read adds.
#define LANE_FRAMES (2 * VC_BLOCK_FRAMES)
/// A resampler may give a few frames more than the ratio says.
#define CHUNK_SLACK 64
/// Reports further than this many buffers are nonsense; other sound servers use the same bound.
#define DELAY_BUFFERS_MAX 5
/// Time stamps older than this many periods are not believed.
#define STAMP_PERIODS_MAX 3

/// One signal on its way between a device and the core.
typedef struct {
  uint32_t mask;           ///< channels of the device; 0: the lane is unused
  vd_resampler *resampler; ///< NULL at 48 kHz
  float samples[LANE_FRAMES];
  size_t fill;
} lane;

struct ad_pcm {
  ad_pcm_shape shape;
  lane lanes[2];   ///< sound, reference
  size_t chunk;    ///< frames that the two below hold
  void *frames;    ///< as the device has them
  float *native;   ///< one channel of them
  uint64_t passed; ///< device's frames read or written since it was prepared
  double blocks;   ///< frames at 48 kHz that the core took or gave since then
  int64_t position;
  // Of the last report, in frames of the device:
  long last_delay;
  uint64_t last_passed;
  int64_t last_report_ns;
};

static double at_48k(const ad_pcm *pcm, double frames) {
  return pcm->shape.rate_hz == RATE_HZ ? frames : frames * RATE_HZ / pcm->shape.rate_hz;
}

uint32_t ad_pcm_at_48k(const ad_pcm *pcm, uint64_t frames) VD_NONBLOCKING {
  return (uint32_t)ceil(at_48k(pcm, (double)frames));
}

static int create_lane(lane *made, const ad_pcm_shape *shape, uint32_t mask) {
  made->mask = mask;
  if (mask == 0 || shape->rate_hz == RATE_HZ)
    return 0;
  double from = shape->captures ? shape->rate_hz : RATE_HZ;
  double to = shape->captures ? RATE_HZ : shape->rate_hz;
  return vd_resampler_create(&made->resampler, from, to);
}

int ad_pcm_create(ad_pcm **out, const ad_pcm_shape *shape) {
  ad_pcm *pcm = calloc(1, sizeof *pcm);
  if (!pcm) {
    shape->calls->close(shape->handle);
    return -ENOMEM;
  }
  pcm->shape = *shape;
  bool is_sane = shape->rate_hz > 0 && shape->channels > 0 && shape->channels <= AD_CHANNELS_MAX;
  int result = is_sane ? create_lane(&pcm->lanes[0], shape, shape->mask) : -EINVAL;
  if (result == 0)
    result = create_lane(&pcm->lanes[1], shape, shape->captures ? shape->reference : 0);
  if (result == 0) {
    pcm->chunk = (size_t)VC_SPEAKER_FRAMES_MAX * shape->rate_hz / RATE_HZ + CHUNK_SLACK;
    pcm->frames = calloc(pcm->chunk * shape->channels, ad_format_bytes(shape->format));
    pcm->native = calloc(pcm->chunk, sizeof *pcm->native);
    result = pcm->frames && pcm->native ? 0 : -ENOMEM;
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
  pcm->shape.calls->close(pcm->shape.handle);
  vd_resampler_destroy(pcm->lanes[0].resampler);
  vd_resampler_destroy(pcm->lanes[1].resampler);
  free(pcm->frames);
  free(pcm->native);
  free(pcm);
}

int ad_pcm_lock(ad_pcm *pcm) {
  size_t bytes = pcm->chunk * pcm->shape.channels * ad_format_bytes(pcm->shape.format);
  bool is_locked = mlock(pcm, sizeof *pcm) == 0 && mlock(pcm->frames, bytes) == 0 &&
                   mlock(pcm->native, pcm->chunk * sizeof *pcm->native) == 0;
  return is_locked ? 0 : -errno;
}

void ad_pcm_describe(const ad_pcm *pcm, char *out, size_t bytes) {
  static const char *const formats[AD_FORMAT_COUNT] = {[AD_S16] = "S16",
                                                       [AD_S32] = "S32",
                                                       [AD_FLOAT] = "FLOAT",
                                                       [AD_S24_3LE] = "S24_3LE",
                                                       [AD_S24] = "S24"};
  const ad_pcm_shape *shape = &pcm->shape;
  snprintf(out, bytes, "%s %s %u Hz %u ch%s, period %u, buffer %u frames", shape->name,
           formats[shape->format], shape->rate_hz, shape->channels, shape->is_mapped ? " mmap" : "",
           shape->period, shape->buffer);
}

const ad_pcm_shape *ad_pcm_shape_of(const ad_pcm *pcm) VD_NONBLOCKING {
  return &pcm->shape;
}

ad_pcm_state ad_pcm_get_state(ad_pcm *pcm) VD_NONBLOCKING {
  switch (pcm->shape.calls->state(pcm->shape.handle)) {
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

int ad_pcm_resume(ad_pcm *pcm) VD_NONBLOCKING {
  return pcm->shape.calls->resume(pcm->shape.handle);
}

int ad_pcm_prepare(ad_pcm *pcm) VD_NONBLOCKING {
  // Its answer says nothing that the next one does not say better.
  (void)pcm->shape.calls->drop(pcm->shape.handle);
  for (int i = 0; i < 2; i++) {
    pcm->lanes[i].fill = 0;
    if (pcm->lanes[i].resampler)
      vd_resampler_reset(pcm->lanes[i].resampler);
  }
  pcm->passed = 0;
  pcm->blocks = 0;
  pcm->position = 0;
  pcm->last_delay = 0;
  pcm->last_passed = 0;
  return pcm->shape.calls->prepare(pcm->shape.handle);
}

int ad_pcm_start(ad_pcm *pcm) VD_NONBLOCKING {
  return pcm->shape.calls->start(pcm->shape.handle);
}

int ad_pcm_drop(ad_pcm *pcm) VD_NONBLOCKING {
  return pcm->shape.calls->drop(pcm->shape.handle);
}

long ad_pcm_waiting(ad_pcm *pcm) VD_NONBLOCKING {
  long avail = pcm->shape.calls->avail(pcm->shape.handle);
  return avail < 0 ? avail : (long)at_48k(pcm, (double)avail) + (long)pcm->lanes[0].fill;
}

/// Brings `count` frames of the device into a lane.
static void take_in(ad_pcm *pcm, lane *to, size_t count) {
  const ad_pcm_shape *shape = &pcm->shape;
  float *end = &to->samples[to->fill];
  if (!to->resampler) {
    ad_mix_to_mono(shape->format, pcm->frames, shape->channels, to->mask, count, end);
    to->fill += count;
    return;
  }
  ad_mix_to_mono(shape->format, pcm->frames, shape->channels, to->mask, count, pcm->native);
  size_t used;
  // The lane has room for all: a read asks for no more than is missing.
  long made =
      vd_resampler_process(to->resampler, pcm->native, count, &used, end, LANE_FRAMES - to->fill);
  to->fill += made > 0 ? (size_t)made : 0;
}

static void take_out(lane *from, float *block) {
  memcpy(block, from->samples, VC_BLOCK_FRAMES * sizeof *block);
  from->fill -= VC_BLOCK_FRAMES;
  memmove(from->samples, &from->samples[VC_BLOCK_FRAMES], from->fill * sizeof *block);
}

int ad_pcm_read_block(ad_pcm *pcm, float *mono, float *reference) VD_NONBLOCKING {
  const ad_pcm_shape *shape = &pcm->shape;
  lane *sound = &pcm->lanes[0], *wired = &pcm->lanes[1];
  while (sound->fill < VC_BLOCK_FRAMES) {
    size_t missing = VC_BLOCK_FRAMES - sound->fill;
    if (sound->resampler)
      missing = missing * shape->rate_hz / RATE_HZ + 1;
    long got = shape->calls->read(shape->handle, pcm->frames, missing, shape->is_mapped);
    if (got <= 0)
      return got == 0 ? -EAGAIN : (int)got;
    pcm->passed += (uint64_t)got;
    take_in(pcm, sound, (size_t)got);
    if (wired->mask)
      take_in(pcm, wired, (size_t)got);
  }
  take_out(sound, mono);
  if (wired->mask)
    take_out(wired, reference);
  else
    memset(reference, 0, VC_BLOCK_FRAMES * sizeof *reference);
  pcm->blocks += VC_BLOCK_FRAMES;
  return 0;
}

/// Hands frames of the chunk to the device. Result: how many it took.
static long push(ad_pcm *pcm, size_t count) {
  const ad_pcm_shape *shape = &pcm->shape;
  size_t stride = shape->channels * ad_format_bytes(shape->format), done = 0;
  while (done < count) {
    const char *from = (const char *)pcm->frames + done * stride;
    long took = shape->calls->write(shape->handle, from, count - done, shape->is_mapped);
    if (took == -EAGAIN || took == 0)
      break;
    if (took < 0)
      return took;
    done += (size_t)took;
    pcm->passed += (uint64_t)took;
  }
  return (long)done;
}

long ad_pcm_write(ad_pcm *pcm, const float *mono, size_t count) VD_NONBLOCKING {
  const ad_pcm_shape *shape = &pcm->shape;
  lane *sound = &pcm->lanes[0];
  const float *samples = mono;
  size_t native = count;
  if (sound->resampler) {
    size_t used;
    // The chunk holds what the ratio makes of all of it, and the slack: nothing stays unused.
    long made = vd_resampler_process(sound->resampler, mono, count, &used, pcm->native, pcm->chunk);
    native = made > 0 ? (size_t)made : 0;
    samples = pcm->native;
  }
  ad_spread_mono(shape->format, samples, native, shape->channels, sound->mask, pcm->frames);
  pcm->blocks += (double)count;
  long took = push(pcm, native);
  if (took < 0)
    return took;
  double refused = at_48k(pcm, (double)(native - (size_t)took));
  pcm->blocks -= refused;
  return lrint(refused);
}

long ad_pcm_write_silence(ad_pcm *pcm, uint32_t frames) VD_NONBLOCKING {
  const ad_pcm_shape *shape = &pcm->shape;
  size_t left = (size_t)lrint((double)frames * shape->rate_hz / RATE_HZ), total = 0;
  memset(pcm->frames, 0, pcm->chunk * shape->channels * ad_format_bytes(shape->format));
  while (left > 0) {
    size_t count = left < pcm->chunk ? left : pcm->chunk;
    long took = push(pcm, count);
    if (took < 0)
      return took;
    total += (size_t)took;
    if ((size_t)took < count)
      break;
    left -= count;
  }
  double taken = at_48k(pcm, (double)total);
  pcm->blocks += taken;
  return lrint(taken);
}

int ad_pcm_report_to(ad_pcm *pcm, ad_pcm_report *report) VD_NONBLOCKING {
  return pcm->shape.calls->report(pcm->shape.handle, report);
}

/// Frames in the device, from the count of those that are free in it.
static long filled(const ad_pcm *pcm, long avail) {
  long buffer = (long)pcm->shape.buffer;
  avail = avail < 0 ? 0 : avail > buffer ? buffer : avail;
  return pcm->shape.captures ? avail : buffer - avail;
}

uint32_t ad_pcm_delay(ad_pcm *pcm, const ad_pcm_report *report, int64_t now_ns,
                      bool *has_moved) VD_NONBLOCKING {
  const ad_pcm_shape *shape = &pcm->shape;
  long delay = report->delay;
  if (delay < 0 || delay > DELAY_BUFFERS_MAX * (long)shape->buffer)
    delay = filled(pcm, report->avail);
  int64_t position = (int64_t)pcm->passed + (shape->captures ? delay : -delay);
  *has_moved = position != pcm->position;
  pcm->position = position;

  int64_t age = now_ns - report->stamp_ns;
  int64_t oldest = (int64_t)STAMP_PERIODS_MAX * shape->period * 1000000000 / shape->rate_hz;
  double at_now = (double)delay;
  if (report->stamp_ns > 0 && age > -oldest && age < oldest)
    at_now += (shape->captures ? 1e-9 : -1e-9) * (double)age * shape->rate_hz;
  pcm->last_delay = (long)at_now;
  pcm->last_passed = pcm->passed;
  pcm->last_report_ns = now_ns;
  double frames = shape->captures ? at_48k(pcm, (double)pcm->passed + at_now) - pcm->blocks
                                  : pcm->blocks - at_48k(pcm, (double)pcm->passed - at_now);
  return frames > 0 ? (uint32_t)lrint(frames) : 0;
}

uint32_t ad_pcm_unplayed(ad_pcm *pcm, int64_t now_ns) VD_NONBLOCKING {
  if (pcm->passed == 0)
    return 0;
  ad_pcm_report report;
  long inside = 0;
  if (ad_pcm_report_to(pcm, &report) == 0) {
    inside = filled(pcm, report.avail);
  } else {
    // Nobody to ask: what was there, less what it has played since.
    int64_t played = (now_ns - pcm->last_report_ns) * pcm->shape.rate_hz / 1000000000;
    inside = pcm->last_delay + (long)(pcm->passed - pcm->last_passed) - (long)played;
    inside = inside > 0 ? inside : 0;
  }
  double frames = pcm->blocks - at_48k(pcm, (double)((int64_t)pcm->passed - inside));
  return frames > 0 ? (uint32_t)lrint(frames) : 0;
}
