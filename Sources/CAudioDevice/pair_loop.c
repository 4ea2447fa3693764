#include "pair_loop.h"

#include <errno.h>

#include "audio_wake.h"
#include "pair_block.h"
#include "pair_exchange.h"
#include "pair_repair.h"

/// Least and most sleep where poll cannot be trusted or nothing is to be waited for.
#define PAUSE_LEAST_NS 200000
#define PAUSE_MOST_NS 50000000
/// A poll that never wakes is left after two periods, at least so many nanoseconds.
#define TIMEOUT_LEAST_NS 5000000

typedef enum { GO_ON, STOP, LOST } loop_result;

/// Where both directions stand decides; a PCM that never ran is started in the same way.
static loop_result repair(ad_pair_loop *loop, bool *can_read) {
  ad_pair_take_offers(loop);
  return ad_pair_repair(loop, can_read) ? GO_ON : LOST;
}

static int64_t bounded(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

/// Everything that is there now, at most one buffer of it.
/// Result: frames that are missing to the next block, 0 when that is not known.
static uint32_t take_what_is_there(ad_pair_loop *loop) {
  ad_pcm *capture = loop->pair.capture;
  uint32_t buffer = ad_pcm_at_48k(capture, ad_pcm_shape_of(capture)->buffer);
  for (uint32_t i = 0; i < buffer / VC_BLOCK_FRAMES + 1; i++) {
    long waiting = ad_pcm_waiting(capture);
    if (waiting < 0) {
      loop->errors[AD_MICROPHONE] = (int)waiting;
      return 0;
    }
    loop->moved[AD_MICROPHONE] |= waiting > loop->waiting_frames;
    loop->waiting_frames = waiting;
    if (waiting < VC_BLOCK_FRAMES)
      return i > 0 ? 0 : (uint32_t)(VC_BLOCK_FRAMES - waiting);
    float microphone[VC_BLOCK_FRAMES], reference[VC_BLOCK_FRAMES];
    int result = ad_pcm_read_block(capture, microphone, reference);
    if (result == -EAGAIN || result == -EINTR)
      return 0;
    if (result < 0) {
      loop->errors[AD_MICROPHONE] = result;
      return 0;
    }
    loop->waiting_frames = waiting - VC_BLOCK_FRAMES;
    loop->false_wakes = 0;
    ad_pair_block(loop, microphone, ad_pcm_shape_of(capture)->reference ? reference : NULL);
    if (loop->errors[AD_SPEAKER])
      return 0;
  }
  return 0;
}

static int64_t timeout_ns(const ad_pair_loop *loop) {
  const ad_pcm_shape *shape = ad_pcm_shape_of(loop->pair.capture);
  int64_t period = (int64_t)shape->period * 1000000000 / shape->rate_hz;
  int64_t half = (int64_t)shape->buffer * 500000000 / shape->rate_hz;
  return bounded(2 * period, TIMEOUT_LEAST_NS, half > TIMEOUT_LEAST_NS ? half : TIMEOUT_LEAST_NS);
}

static loop_result turn(ad_pair_loop *loop, bool *was_ready) {
  bool can_read;
  loop_result result = repair(loop, &can_read);
  if (result != GO_ON)
    return result;
  int answer;
  if (!can_read) {
    int64_t pause = loop->recovery.capture.not_before_ns - loop->calls->now_ns();
    answer = loop->calls->wait(NULL, loop->stop, bounded(pause, PAUSE_LEAST_NS, PAUSE_MOST_NS));
    *was_ready = false;
    return answer == 2 ? STOP : GO_ON;
  }
  uint32_t missing = take_what_is_there(loop);
  if (loop->is_absent[AD_MICROPHONE] && !loop->errors[AD_MICROPHONE] && !loop->errors[AD_SPEAKER]) {
    // Nothing tells when silence is there: the clock does.
    int64_t rest = (int64_t)(missing ? missing : VC_BLOCK_FRAMES) * 1000000 / 48;
    *was_ready = false;
    answer = loop->calls->wait(NULL, loop->stop, bounded(rest, PAUSE_LEAST_NS, PAUSE_MOST_NS));
    return answer == 2 ? STOP : GO_ON;
  }
  if (loop->errors[AD_MICROPHONE] || loop->errors[AD_SPEAKER]) {
    // Looked into before anything else; the pause keeps a device that always fails from spinning.
    *was_ready = false;
    return loop->calls->wait(NULL, loop->stop, 0) == 2 ? STOP : GO_ON;
  }
  if (*was_ready && missing) {
    // Ready and yet not there: the rest of the block is waited for on the clock.
    ad_count(&loop->counters.spurious_wakes, 1);
    int64_t rest = (int64_t)missing * 1000000 / 48;
    // A clock that stands still just before the block's end would have it asked for at every turn.
    int64_t least = (int64_t)PAUSE_LEAST_NS << (loop->false_wakes < 6 ? loop->false_wakes : 6);
    loop->false_wakes++;
    rest = rest > least ? rest : least;
    *was_ready = false;
    answer = loop->calls->wait(NULL, loop->stop, bounded(rest, PAUSE_LEAST_NS, PAUSE_MOST_NS));
    return answer == 2 ? STOP : GO_ON;
  }
  ad_alsa_calls const *calls = loop->calls;
  answer = calls->wait(ad_pcm_shape_of(loop->pair.capture)->handle, loop->stop, timeout_ns(loop));
  ad_count(&loop->counters.wakes, 1);
  *was_ready = answer == 1;
  return answer == 2 ? STOP : GO_ON;
}

void ad_pair_begin_level(ad_pair_loop *loop) VD_NONBLOCKING {
  const ad_pcm_shape *capture = ad_pcm_shape_of(loop->pair.capture);
  const ad_pcm_shape *playback = ad_pcm_shape_of(loop->pair.playback);
  uint32_t captured = ad_pcm_at_48k(loop->pair.capture, capture->period);
  uint32_t played = ad_pcm_at_48k(loop->pair.playback, playback->period);
  uint32_t headroom = (capture->is_batch ? captured : 0) + (playback->is_batch ? played : 0);
  // A resampler holds some frames back: a block is complete only with the next period's.
  if (capture->rate_hz != 48000 || playback->rate_hz != 48000)
    headroom += VC_BLOCK_FRAMES;
  int64_t now = loop->calls->now_ns();
  loop->level =
      ad_level_begin(loop->prefill_frames, captured > played ? captured : played, headroom,
                     ad_pcm_at_48k(loop->pair.playback, playback->buffer), played, now);
  atomic_store_explicit(&loop->counters.prefill_frames, loop->level.prefill, memory_order_relaxed);
}

void ad_pair_loop_run(ad_pair_loop *loop) VD_NONBLOCKING {
  int64_t now = loop->calls->now_ns();
  loop->recovery = (ad_pair_recovery){.capture = {.moved_ns = now, .wants_restart = true},
                                      .playback = {.moved_ns = now, .wants_restart = true}};
  ad_pair_begin_level(loop);
  loop_result result = GO_ON;
  bool was_ready = false;
  while (result == GO_ON)
    result = turn(loop, &was_ready);
  ad_pcm_drop(loop->pair.playback);
  ad_pcm_drop(loop->pair.capture);
  if (result == LOST) {
    loop->tell(loop->context, VC_EVENT_DEVICE_LOST, (uint32_t)loop->capture_frames);
    ad_wake_signal(loop->wake);
  }
}
