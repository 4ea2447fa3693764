#include "pair_block.h"

#include "audio_wake.h"
#include "pair_repair.h"

/// Silence is put in when so much is missing, and left out when so much is too much: 10 and 20 ms.
#define MISSING_FRAMES VC_BLOCK_FRAMES
#define EXCESS_FRAMES (2 * VC_BLOCK_FRAMES)
/// So many blocks in a row must say so, for drivers tell their position in bursts.
#define OFF_LEVEL_BLOCKS 5
/// After a restart of the microphone a millisecond is enough.
#define BALANCE_FRAMES 48

/// Both reports, moved to one moment, so that a late wake moves neither against the other.
/// - is_told: whether the microphone said where it stands.
/// Result: whether the speaker plays.
static bool take_reports(ad_pair_loop *loop, vc_timing *timing, bool *is_told) {
  ad_pcm *capture = loop->pair.capture, *playback = loop->pair.playback;
  ad_pcm_report written, captured;
  bool plays =
      atomic_load_explicit(&loop->counters.is_running[AD_SPEAKER], memory_order_relaxed) != 0;
  if (plays)
    loop->errors[AD_SPEAKER] = ad_pcm_report_to(playback, &written);
  plays = plays && loop->errors[AD_SPEAKER] == 0;
  int result = ad_pcm_report_to(capture, &captured);
  *is_told = result == 0;
  timing->now_ns = loop->calls->now_ns();
  int64_t age = timing->now_ns - captured.stamp_ns;
  const ad_pcm_shape *shape = ad_pcm_shape_of(capture);
  if (result == 0 && age >= 0 && age < (int64_t)shape->period * 1000000000 / shape->rate_hz)
    timing->now_ns = captured.stamp_ns;
  bool moved;
  if (result == 0)
    timing->capture_delay_frames = ad_pcm_delay(capture, &captured, timing->now_ns, &moved);
  if (plays) {
    timing->play_delay_frames = ad_pcm_delay(playback, &written, timing->now_ns, &moved);
    // Of several blocks in one wake only the first finds it elsewhere.
    loop->moved[AD_SPEAKER] |= moved;
  }
  return plays;
}

/// Leaves out of the index what the microphone lost while its clock stood still, so that the time
/// of each later sample is true; the speaker went on meanwhile.
static void follow_clock(ad_pair_loop *loop, vc_timing *timing) {
  const ad_pcm_shape *shape = ad_pcm_shape_of(loop->pair.capture);
  uint32_t granularity = shape->is_batch ? ad_pcm_at_48k(loop->pair.capture, shape->period) : 0;
  uint64_t position = loop->capture_frames + VC_BLOCK_FRAMES + timing->capture_delay_frames;
  uint32_t lost = ad_capture_clock_observe(&loop->clock, position, timing->now_ns, granularity);
  if (!lost)
    return;
  ad_count(&loop->counters.stalls, 1);
  ad_count(&loop->counters.lost_frames, lost);
  loop->capture_frames += lost;
  timing->capture_frames = loop->capture_frames;
  loop->epoch++;
  loop->must_balance = loop->has_run[AD_SPEAKER];
}

/// Whether silence is missing ahead of this block: the way is shorter than it should be.
static uint32_t missing(ad_pair_loop *loop, uint32_t in_flight, uint32_t target) {
  bool is_off =
      in_flight + MISSING_FRAMES <= target || in_flight >= target + (uint32_t)EXCESS_FRAMES;
  loop->off_level = is_off ? loop->off_level + 1 : 0;
  if (in_flight >= target)
    return 0;
  uint32_t short_of = target - in_flight;
  if (loop->must_balance)
    return short_of >= BALANCE_FRAMES ? short_of : 0;
  bool is_due = loop->off_level >= OFF_LEVEL_BLOCKS && loop->wrote_silence;
  return is_due && short_of >= MISSING_FRAMES ? short_of : 0;
}

static void balance(ad_pair_loop *loop, vc_timing *timing) {
  uint32_t in_flight = timing->play_delay_frames + timing->capture_delay_frames;
  uint32_t short_of = missing(loop, in_flight, ad_level_target(&loop->level));
  loop->must_balance = false;
  if (!short_of)
    return;
  long inserted = ad_pair_insert_silence(loop, short_of);
  loop->off_level = 0;
  loop->epoch++;
  if (inserted < 0)
    loop->errors[AD_SPEAKER] = (int)inserted;
  else
    timing->play_delay_frames += (uint32_t)inserted;
}

/// Whether this silent block is better left out: the way is longer than it need be.
static bool may_skip(ad_pair_loop *loop, const vc_timing *timing) {
  uint32_t in_flight = timing->play_delay_frames + timing->capture_delay_frames;
  bool is_long = loop->off_level >= OFF_LEVEL_BLOCKS &&
                 in_flight >= ad_level_target(&loop->level) + (uint32_t)EXCESS_FRAMES;
  if (is_long)
    loop->off_level = 0;
  else if (ad_level_may_shrink(&loop->level, timing->now_ns))
    ad_level_shrunk(&loop->level, timing->now_ns);
  else
    return false;
  return true;
}

static void write_block(ad_pair_loop *loop, const float *speaker, size_t count,
                        const vc_timing *timing) {
  loop->wrote_silence = ad_is_silent(speaker, count);
  if (loop->wrote_silence && may_skip(loop, timing)) {
    ad_count(&loop->counters.skipped_frames, count);
    loop->unplayed_frames += (uint32_t)count;
    loop->epoch++;
    return;
  }
  long refused = ad_pcm_write(loop->pair.playback, speaker, count);
  loop->since_insertion += (uint32_t)count;
  if (refused < 0) {
    // What of it was not played is seen at the restart.
    loop->errors[AD_SPEAKER] = (int)refused;
  } else if (refused > 0) {
    loop->since_insertion -= (uint32_t)refused;
    loop->unplayed_frames += (uint32_t)refused;
    ad_count(&loop->counters.refused_frames, (uint64_t)refused);
  }
}

static void watch(ad_pair_loop *loop, const float *microphone) {
  ad_watch_news news = ad_microphone_watch_block(&loop->watch, microphone, VC_BLOCK_FRAMES);
  if (news == AD_WATCH_NOTHING)
    return;
  bool is_silent = news != AD_WATCH_SOUNDS_AGAIN;
  if (news == AD_WATCH_SILENT) {
    ad_count(&loop->counters.silences, 1);
    loop->recovery.capture.wants_restart = loop->silence_restart = true;
  } else if (news == AD_WATCH_STILL_SILENT) {
    // Opened anew, where that costs the speaker nothing.
    loop->recovery.capture.is_deaf =
        loop->absent[AD_MICROPHONE] != NULL && !loop->is_absent[AD_SPEAKER];
  }
  atomic_store_explicit(&loop->counters.microphone_is_silent, is_silent, memory_order_relaxed);
  ad_wake_signal(loop->wake);
}

void ad_pair_block(ad_pair_loop *loop, const float *microphone,
                   const float *reference) VD_NONBLOCKING {
  float speaker[VC_SPEAKER_FRAMES_MAX];
  size_t count;
  vc_timing timing = {.capture_frames = loop->capture_frames,
                      .hidden_latency_frames =
                          atomic_load_explicit(&loop->hidden_latency_frames, memory_order_relaxed),
                      .speaker = atomic_load_explicit(&loop->speaker, memory_order_relaxed),
                      .speaker_is_gone = loop->is_absent[AD_SPEAKER]};
  uint32_t target = ad_level_target(&loop->level);
  bool is_told;
  bool plays = take_reports(loop, &timing, &is_told);
  if (is_told && !loop->is_untimed)
    follow_clock(loop, &timing);
  if (plays)
    balance(loop, &timing);
  else
    timing.play_delay_frames = target;
  timing.epoch = loop->epoch;
  timing.target_frames = ad_level_target(&loop->level);
  timing.unplayed_frames = loop->unplayed_frames;
  timing.inserted_frames = loop->inserted_frames;
  loop->unplayed_frames = loop->inserted_frames = 0;
  loop->anchor_ns = timing.now_ns;
  loop->anchor_frames = loop->capture_frames + VC_BLOCK_FRAMES + timing.capture_delay_frames;
  loop->capture_frames += VC_BLOCK_FRAMES;
  loop->moved[AD_MICROPHONE] = true;
  if (!loop->is_absent[AD_MICROPHONE])
    watch(loop, microphone);

  if (loop->step(loop->context, microphone, reference, speaker, &count, &timing))
    ad_wake_signal(loop->wake);
  if (plays) {
    write_block(loop, speaker, count, &timing);
  } else {
    loop->unplayed_frames += (uint32_t)count;
    ad_count(&loop->counters.unplayed_frames, count);
  }
  ad_loop_counters *counters = &loop->counters;
  atomic_store_explicit(&counters->play_delay_frames, timing.play_delay_frames,
                        memory_order_relaxed);
  atomic_store_explicit(&counters->in_flight_frames,
                        timing.play_delay_frames + timing.capture_delay_frames,
                        memory_order_relaxed);
  atomic_store_explicit(&counters->prefill_frames, loop->level.prefill, memory_order_relaxed);
}
