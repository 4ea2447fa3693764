#include "pair_repair.h"

#include <string.h>

#include "audio_wake.h"
#include "pair_exchange.h"

/// A resume, and a restart of each direction, and the look after the last.
#define ROUNDS_MAX 4
/// Less than this unplayed in a speaker that stopped by itself: it ran dry. 1 ms.
#define DRY_FRAMES 48
/// A microphone that comes later than this after the speaker ran dry is no late one: it stood
/// still.
#define LATE_NS 50000000

static bool lose(ad_pair_loop *loop, const char *reason) {
  strncpy(loop->lost_reason, reason, sizeof loop->lost_reason - 1);
  return false;
}

static ad_pcm *pcm_of(ad_pair_loop *loop, int side) {
  return side == AD_MICROPHONE ? loop->pair.capture : loop->pair.playback;
}

static ad_look look_at(ad_pair_loop *loop, int side) {
  ad_look look = {.state = ad_pcm_get_state(pcm_of(loop, side)),
                  .error = loop->errors[side],
                  .moved = loop->moved[side]};
  loop->errors[side] = 0;
  loop->moved[side] = false;
  return look;
}

long ad_pair_insert_silence(ad_pair_loop *loop, uint32_t frames) VD_NONBLOCKING {
  long written = ad_pcm_write_silence(loop->pair.playback, frames);
  if (written > 0) {
    loop->inserted_frames += (uint32_t)written;
    loop->last_insertion = (uint32_t)written;
    loop->since_insertion = 0;
    ad_count(&loop->counters.inserted_frames, (uint64_t)written);
  }
  return written;
}

/// The speaker has stopped, and what it holds will not be played: that is told to the core at once,
/// while it is the newest that was written. The silence of ours among it is none of the core's.
static void empty_speaker(ad_pair_loop *loop) {
  if (loop->speaker_is_empty || !loop->has_run[AD_SPEAKER])
    return;
  loop->speaker_is_empty = true;
  int64_t now = loop->calls->now_ns();
  bool stopped = ad_pcm_get_state(loop->pair.playback) == AD_DRY;
  uint32_t frames = ad_pcm_unplayed(loop->pair.playback, now);
  loop->dry_ns = stopped && frames < DRY_FRAMES ? now : 0;
  uint32_t newest = frames < loop->since_insertion ? frames : loop->since_insertion;
  uint32_t rest = frames - newest;
  uint32_t older = rest > loop->last_insertion ? rest - loop->last_insertion : 0;
  loop->unplayed_frames += newest + older;
  ad_count(&loop->counters.unplayed_frames, newest + older);
  // Of silence that was never told nothing needs to be taken back.
  loop->inserted_frames = 0;
}

static int start_microphone(ad_pair_loop *loop) {
  ad_pcm *pcm = loop->pair.capture;
  int result = ad_pcm_prepare(pcm);
  if (result == 0)
    result = ad_pcm_start(pcm);
  if (result < 0)
    return result;
  // The index moves over the time that was lost.
  int64_t now = loop->calls->now_ns();
  if (loop->anchor_ns) {
    uint64_t frames =
        loop->anchor_frames + ((uint64_t)(now - loop->anchor_ns) * 48 + 500000) / 1000000;
    if (frames > loop->capture_frames) {
      ad_count(&loop->counters.lost_frames, frames - loop->capture_frames);
      loop->capture_frames = frames;
    }
    loop->anchor_frames = loop->capture_frames;
    loop->anchor_ns = now;
  }
  loop->clock = (ad_capture_clock){0};
  loop->waiting_frames = 0;
  loop->must_balance = loop->has_run[AD_SPEAKER];
  return 0;
}

static int start_speaker(ad_pair_loop *loop) {
  ad_pcm *pcm = loop->pair.playback;
  empty_speaker(loop);
  int64_t now = loop->calls->now_ns();
  // A little more silence would have helped; over a longer hole nothing would.
  if (loop->dry_ns && now - loop->dry_ns <= LATE_NS)
    ad_level_underrun(&loop->level, now);
  loop->dry_ns = 0;
  int result = ad_pcm_prepare(pcm);
  if (result < 0)
    return result;
  // What waits in the microphone becomes sound at once, and needs no silence in its place.
  long waiting = ad_pcm_waiting(loop->pair.capture);
  uint32_t fill = loop->level.prefill;
  uint32_t least = ad_pcm_at_48k(pcm, ad_pcm_shape_of(pcm)->period);
  if (waiting > 0)
    fill = (long)fill > waiting ? fill - (uint32_t)waiting : 0;
  long written = ad_pair_insert_silence(loop, fill > least ? fill : least);
  loop->must_balance = false;
  return written < 0 ? (int)written : ad_pcm_start(pcm);
}

/// Result: whether a direction that had run runs again.
static bool restart(ad_pair_loop *loop, int side) {
  ad_side_recovery *recovery =
      side == AD_MICROPHONE ? &loop->recovery.capture : &loop->recovery.playback;
  loop->errors[side] = side == AD_MICROPHONE ? start_microphone(loop) : start_speaker(loop);
  ad_side_restarted(recovery, loop->calls->now_ns());
  loop->epoch++;
  if (loop->errors[side] < 0 || ad_pcm_get_state(pcm_of(loop, side)) != AD_RUNNING) {
    ad_count(&loop->counters.failures[side], 1);
    return false;
  }
  bool had_run = loop->has_run[side];
  loop->has_run[side] = true;
  if (side == AD_SPEAKER)
    loop->speaker_is_empty = false;
  if (had_run)
    ad_count(&loop->counters.restarts[side], 1);
  return had_run;
}

static void resume(ad_pair_loop *loop, int side) {
  ad_side_recovery *recovery =
      side == AD_MICROPHONE ? &loop->recovery.capture : &loop->recovery.playback;
  ad_count(&loop->counters.resumes[side], 1);
  ad_side_resumed(recovery, ad_pcm_resume(pcm_of(loop, side)), loop->calls->now_ns());
}

static void publish(ad_pair_loop *loop, const ad_pair_remedy *remedy) {
  ad_loop_counters *counters = &loop->counters;
  const ad_remedy *remedies[] = {&remedy->capture, &remedy->playback};
  for (int side = 0; side < 2; side++) {
    uint32_t is_gone = loop->is_absent[side] || *remedies[side] == AD_GIVE_UP;
    bool is_news = is_gone != atomic_load_explicit(&counters->is_gone[side], memory_order_relaxed);
    atomic_store_explicit(&counters->is_running[side], *remedies[side] == AD_KEEP,
                          memory_order_relaxed);
    atomic_store_explicit(&counters->is_gone[side], is_gone, memory_order_relaxed);
    if (is_news)
      ad_wake_signal(loop->wake);
  }
}

static const char *reason_of(const ad_pair_loop *loop, int side) {
  const ad_side_recovery *capture = &loop->recovery.capture;
  if (side == AD_SPEAKER)
    return "The speaker was unplugged.";
  return capture->is_gone   ? "The microphone was unplugged."
         : capture->is_deaf ? "The microphone delivers nothing but zeros."
         : capture->stuck   ? "The microphone runs and delivers nothing."
                            : "The microphone fails again after every restart.";
}

/// A direction is given up: the other goes on without it, or the device is lost.
/// Result: whether it goes on.
static bool go_on_without(ad_pair_loop *loop, int side) {
  if (loop->is_absent[side])
    return true;
  const char *reason = reason_of(loop, side);
  if (!ad_pair_let_go(loop, side))
    return lose(loop, reason);
  atomic_store_explicit(&loop->gone_reason[side], reason, memory_order_release);
  atomic_store_explicit(&loop->counters.is_gone[side], 1, memory_order_release);
  ad_count(&loop->counters.losses[side], 1);
  loop->tell(loop->context,
             side == AD_MICROPHONE ? VC_EVENT_MICROPHONE_LOST : VC_EVENT_SPEAKER_LOST,
             (uint32_t)loop->capture_frames);
  ad_wake_signal(loop->wake);
  return true;
}

/// Result: whether what is left goes on.
static bool give_up(ad_pair_loop *loop, ad_pair_remedy *remedy) {
  if (remedy->capture == AD_GIVE_UP) {
    // What the speaker holds plays on; its clock and the stand-in's begin anew together.
    if (!go_on_without(loop, AD_MICROPHONE))
      return false;
    remedy->capture = AD_HOLD;
  }
  return remedy->playback != AD_GIVE_UP || go_on_without(loop, AD_SPEAKER);
}

bool ad_pair_repair(ad_pair_loop *loop, bool *can_read) VD_NONBLOCKING {
  ad_pair_remedy remedy = {AD_HOLD, AD_HOLD};
  bool is_xrun = false;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    ad_look microphone = look_at(loop, AD_MICROPHONE);
    // A plugin learns of its own state only when it is asked for more; what stopped the microphone
    // may well have stopped the speaker, and both are one interruption.
    if (microphone.state != AD_RUNNING)
      (void)ad_pcm_waiting(loop->pair.playback);
    ad_look speaker = look_at(loop, AD_SPEAKER);
    // One that waits for the microphone to deliver again need not lose the block that says so.
    if (speaker.state != AD_RUNNING && microphone.state == AD_RUNNING)
      microphone.moved |= ad_pcm_waiting(loop->pair.capture) > loop->waiting_frames;
    uint32_t stuck = loop->recovery.capture.stuck + loop->recovery.playback.stuck;
    remedy = ad_pair_looked(&loop->recovery, &microphone, &speaker, loop->calls->now_ns());
    if (loop->recovery.capture.stuck + loop->recovery.playback.stuck > stuck)
      ad_count(&loop->counters.stuck, 1);
    if (remedy.playback != AD_KEEP)
      empty_speaker(loop);
    bool must_look_again = remedy.capture == AD_GIVE_UP;
    if (!give_up(loop, &remedy)) {
      publish(loop, &remedy);
      return false;
    }
    if (must_look_again)
      continue;
    if (remedy.capture == AD_RESUME)
      resume(loop, AD_MICROPHONE);
    if (remedy.playback == AD_RESUME)
      resume(loop, AD_SPEAKER);
    if (remedy.capture == AD_RESTART) {
      is_xrun |= restart(loop, AD_MICROPHONE) && !loop->silence_restart;
      loop->silence_restart = false;
    }
    if (remedy.playback == AD_RESTART)
      is_xrun |= restart(loop, AD_SPEAKER);
    bool acted = remedy.capture == AD_RESUME || remedy.capture == AD_RESTART ||
                 remedy.playback == AD_RESUME || remedy.playback == AD_RESTART;
    if (!acted)
      break;
  }
  publish(loop, &remedy);
  if (is_xrun) {
    ad_count(&loop->counters.xruns, 1);
    loop->tell(loop->context, VC_EVENT_XRUN, (uint32_t)loop->capture_frames);
    ad_wake_signal(loop->wake);
  }
  *can_read = remedy.capture == AD_KEEP;
  return true;
}
