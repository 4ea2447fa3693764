#include "pair_loop.h"

#include <errno.h>
#include <string.h>

#include "audio_wake.h"

/// Recoveries in a row without one block between them, then the device counts as lost.
#define FAILURES_MAX 16
/// Timeouts in a row, then the pair is restarted.
#define TIMEOUTS_MAX 5
/// Four periods; a shorter wait would only spin.
#define TIMEOUT_MS 100
/// Attempts to wake a suspended device.
#define RESUME_ATTEMPTS 5
#define RETRY_PAUSE_NS 20000000
/// The prefill grows with each underrun up to this: 120 ms.
#define PREFILL_PERIODS_MAX 12
/// Least sleep when poll claims what is not there.
#define SHORT_PAUSE_MIN_NS 200000

static const float silence[VC_BLOCK_FRAMES];

typedef enum { GO_ON, STOP, LOST } loop_result;

static loop_result lose(ad_pair_loop *loop, const char *reason) {
  strncpy(loop->lost_reason, reason, sizeof loop->lost_reason - 1);
  return LOST;
}

static bool means_gone(long result) {
  return result == -ENODEV || result == -ENXIO || result == -EBADFD || result == -ENOTTY ||
         result == -EBADF;
}

static uint32_t prefill_blocks(const ad_pair_loop *loop) {
  uint32_t frames =
      atomic_load_explicit(&loop->prefill_now, memory_order_relaxed) * VC_BLOCK_FRAMES;
  uint32_t period = ad_pcm_period_frames(loop->pair.playback);
  uint32_t buffer = ad_pcm_buffer_frames(loop->pair.playback);
  // A device that takes long periods needs one of them ahead, whatever their length.
  if (frames < period + VC_BLOCK_FRAMES)
    frames = period + VC_BLOCK_FRAMES;
  // Room for one block must stay, whatever the rounding.
  if (frames + 2 * VC_BLOCK_FRAMES > buffer)
    frames = buffer - 2 * VC_BLOCK_FRAMES;
  return (frames + VC_BLOCK_FRAMES - 1) / VC_BLOCK_FRAMES;
}

/// Brings both directions from whatever state to running.
static int start_pair(ad_pair_loop *loop) {
  loop->epoch++;
  ad_pcm_drop(loop->pair.capture);
  ad_pcm_drop(loop->pair.playback);
  int result = ad_pcm_prepare(loop->pair.capture);
  if (result == 0)
    result = ad_pcm_prepare(loop->pair.playback);
  for (uint32_t i = 0; result == 0 && i < prefill_blocks(loop); i++) {
    long written = ad_pcm_write(loop->pair.playback, silence, VC_BLOCK_FRAMES);
    result = written < 0 ? (int)written : 0;
  }
  if (result == 0)
    result = ad_pcm_start(loop->pair.playback);
  if (result == 0)
    result = ad_pcm_start(loop->pair.capture);
  return result;
}

/// Moves the capture index over the time that was lost.
static void count_lost_time(ad_pair_loop *loop) {
  int64_t now = ad_now_ns();
  if (loop->anchor_ns) {
    uint64_t passed = (uint64_t)(now - loop->anchor_ns) * 48 / 1000000;
    uint64_t frames = loop->anchor_frames + passed;
    if (frames > loop->capture_frames)
      loop->capture_frames = frames;
  }
  loop->anchor_frames = loop->capture_frames;
  loop->anchor_ns = now;
}

static void resume(ad_pcm *pcm) {
  for (int i = 0; i < RESUME_ATTEMPTS && ad_pcm_resume(pcm) == -EAGAIN; i++)
    ad_pause_ns(RETRY_PAUSE_NS);
  // Its answer is not believed: the pair is restarted from scratch either way.
}

/// Restarts the pair after a failure. The states decide, for errno lies.
static loop_result recover(ad_pair_loop *loop, long cause) {
  ad_pcm_state capture = ad_pcm_get_state(loop->pair.capture);
  ad_pcm_state playback = ad_pcm_get_state(loop->pair.playback);
  if (capture == AD_GONE || playback == AD_GONE || means_gone(cause))
    return lose(loop, capture == AD_GONE ? "The microphone was unplugged."
                                         : "The speaker or the microphone was unplugged.");
  if (++loop->failures > FAILURES_MAX)
    return lose(loop, "The device fails again after every restart.");
  if (loop->failures > 1)
    ad_pause_ns(RETRY_PAUSE_NS);
  if (capture == AD_SUSPENDED)
    resume(loop->pair.capture);
  if (playback == AD_SUSPENDED)
    resume(loop->pair.playback);
  uint32_t prefill = atomic_load_explicit(&loop->prefill_now, memory_order_relaxed);
  if (playback == AD_DRY && prefill < PREFILL_PERIODS_MAX)
    atomic_store_explicit(&loop->prefill_now, prefill + 1, memory_order_relaxed);
  int result = start_pair(loop);
  if (means_gone(result))
    return lose(loop, "The device did not come back after an interruption.");
  // Any other failure shows at the next wait, and is counted there.
  atomic_fetch_add_explicit(&loop->xruns, 1, memory_order_relaxed);
  count_lost_time(loop);
  vc_port_device_event(loop->port, VC_EVENT_XRUN, (uint32_t)loop->capture_frames);
  ad_wake_signal(loop->wake);
  return GO_ON;
}

/// One block in, one block out.
static loop_result step(ad_pair_loop *loop) {
  float microphone[VC_BLOCK_FRAMES], speaker[VC_SPEAKER_FRAMES_MAX];
  size_t speaker_frames;
  int result = ad_pcm_read_block(loop->pair.capture, microphone);
  if (result == -EAGAIN)
    return GO_ON;
  if (result < 0)
    return recover(loop, result);
  vc_timing timing = {.capture_frames = loop->capture_frames,
                      .hidden_latency_frames = loop->hidden_latency_frames,
                      .epoch = loop->epoch};
  // Both reports at one moment, so that a late wake moves neither against the other.
  timing.play_delay_frames = ad_pcm_delay_frames(loop->pair.playback);
  timing.capture_delay_frames = ad_pcm_delay_frames(loop->pair.capture);
  timing.now_ns = ad_now_ns();
  loop->anchor_ns = timing.now_ns;
  loop->anchor_frames = loop->capture_frames + VC_BLOCK_FRAMES + timing.capture_delay_frames;
  loop->capture_frames += VC_BLOCK_FRAMES;
  loop->failures = loop->timeouts = 0;
  atomic_store_explicit(&loop->play_delay_frames, timing.play_delay_frames, memory_order_relaxed);

  if (vc_port_step(loop->port, microphone, speaker, &speaker_frames, &timing))
    ad_wake_signal(loop->wake);
  long written = ad_pcm_write(loop->pair.playback, speaker, speaker_frames);
  if (written < 0)
    return recover(loop, written);
  if ((size_t)written < speaker_frames)
    atomic_fetch_add_explicit(&loop->refused_frames, speaker_frames - (size_t)written,
                              memory_order_relaxed);
  return GO_ON;
}

/// Everything that is there now, at most one buffer of it.
static loop_result take_what_is_there(ad_pair_loop *loop) {
  uint32_t bound = ad_pcm_buffer_frames(loop->pair.capture) / VC_BLOCK_FRAMES + 1;
  for (uint32_t i = 0; i < bound; i++) {
    long avail = ad_pcm_avail(loop->pair.capture);
    if (avail < 0)
      return recover(loop, avail);
    if (avail < VC_BLOCK_FRAMES) {
      if (i > 0)
        return GO_ON;
      // Ready and yet not there: the rest of the block is waited for on the clock.
      atomic_fetch_add_explicit(&loop->spurious_wakes, 1, memory_order_relaxed);
      int64_t rest = (VC_BLOCK_FRAMES - avail) * 1000000 / 48;
      ad_pause_ns(rest > SHORT_PAUSE_MIN_NS ? rest : SHORT_PAUSE_MIN_NS);
      return GO_ON;
    }
    loop_result result = step(loop);
    if (result != GO_ON)
      return result;
  }
  return GO_ON;
}

static loop_result turn(ad_pair_loop *loop) {
  switch (ad_pcm_wait(loop->pair.capture, loop->stop, TIMEOUT_MS)) {
  case 0:
    if (++loop->timeouts <= TIMEOUTS_MAX)
      return GO_ON;
    loop->timeouts = 0;
    return recover(loop, -ETIMEDOUT);
  case 2:
    return STOP;
  default:
    break;
  }
  // A playback that ran dry does not wake a capture poll; its state is asked for.
  ad_pcm_state capture = ad_pcm_get_state(loop->pair.capture);
  ad_pcm_state playback = ad_pcm_get_state(loop->pair.playback);
  if (capture != AD_RUNNING || playback != AD_RUNNING)
    return recover(loop, -EPIPE);
  return take_what_is_there(loop);
}

void ad_pair_loop_run(ad_pair_loop *loop) VD_NONBLOCKING {
  atomic_store_explicit(&loop->prefill_now, loop->prefill_periods, memory_order_relaxed);
  loop_result result = GO_ON;
  int started = start_pair(loop);
  if (started < 0)
    result = recover(loop, started);
  while (result == GO_ON)
    result = turn(loop);
  ad_pcm_drop(loop->pair.playback);
  ad_pcm_drop(loop->pair.capture);
  if (result == LOST) {
    vc_port_device_event(loop->port, VC_EVENT_DEVICE_LOST, (uint32_t)loop->capture_frames);
    ad_wake_signal(loop->wake);
  }
}
