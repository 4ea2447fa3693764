#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "duplex.h"
#include "echo/bulk_delay.h"
#include "echo/echo_stage.h"
#include "local_speech.h"
#include "playback.h"
#include "playout.h"
#include "residual.h"
#include "snapshot.h"
#include "steering.h"
#include "uplink.h"
#include "voice_asrc.h"
#include "voice_level.h"
#include "wired_reference.h"
#include "yielding.h"

/// The canceller gets what is heard 10 ms after the block, so that no echo can come before its
/// reference when the clock is a little off.
#define REFERENCE_LEAD_FRAMES 480
#define REFERENCE_LEAD_MS 10
/// The gate closes 10 ms before the agent is heard: time for its ramp.
#define GATE_LEAD_FRAMES 480
/// Ramp of the gate: 5 ms.
#define GATE_RAMP_FRAMES 240
/// After an unmute, sound that was captured while muted may still be inside the canceller.
#define UNMUTE_MARGIN_FRAMES 960
/// Blocks between two reports of the levels: 100 ms.
#define LEVEL_BLOCKS 10

struct vc_core {
  vc_playback playback;
  vc_residual *residual; ///< NULL when neither its canceller nor its suppression is wanted
  vc_echo_stage *stage;  ///< our own canceller, instead of it
  vc_bulk_delay *delay;  ///< NULL when the hidden latency is not looked for
  vc_uplink uplink;
  vc_local_speech local;
  vd_level microphone_level;
  vc_published published;
  vc_counters counters;
  uint64_t next_capture_frame;
  uint64_t open_from; ///< capture frame from which the microphone may leave again after a mute
  uint32_t epoch;     ///< of the device's last start
  uint32_t speakers;  ///< that the search for the latency has seen
  size_t latency;     ///< frames by which the residual stage lags
  float gain;         ///< of the gate, at the end of the last block
  vc_yielding yielding;
  vc_duplex duplex;
  bool listens;
  bool yields;
  bool follows_drift;
  bool is_locked; ///< this whole block is
  bool muted;
  bool cut; ///< nothing of the microphone passed in the last block
  vc_playout_clock clock;
  vc_steering steering;
  vc_wired_reference wired;
  vd_asrc asrc; ///< follows the speaker's clock
};

vc_config vc_config_default(void) {
  return (vc_config){.bit_rate = 24000,
                     .expected_loss_pct = 10,
                     .cancels_echo = VC_CANCELS_BY_LIBRARY,
                     .finds_latency = 1,
                     .suppresses_noise = 1,
                     .half_duplex = VC_HALF_DUPLEX_ALWAYS,
                     .yields = 1,
                     .listens = 1,
                     .follows_drift = 1};
}

static int create_stages(vc_core *core, const vc_config *config) {
  int result = vc_playback_open(&core->playback);
  if (result < 0 || !config->listens)
    return result;
  if (config->cancels_echo == VC_CANCELS_ITSELF)
    result = vc_echo_stage_create(&core->stage);
  else if (config->cancels_echo || config->suppresses_noise)
    result = vc_residual_create(&core->residual, config->cancels_echo, config->suppresses_noise);
  if (result == 0 && config->finds_latency)
    result = vc_bulk_delay_create(&core->delay);
  if (result < 0)
    return result;
  if (core->stage)
    core->latency = vc_echo_stage_latency_frames();
  else if (core->residual)
    core->latency = vc_residual_latency_frames(core->residual);
  result = vc_uplink_create(&core->uplink, config, core->latency);
  if (result == 0)
    result = vc_local_speech_create(&core->local, config->vad_weights);
  if (result == 0)
    result = vc_duplex_create(&core->duplex, config->half_duplex, config->vad_weights);
  return result;
}

static void publish(vc_core *core) {
  const vc_playout_clock *clock = &core->clock;
  vc_playback_count(&core->playback, &core->counters);
  const vc_timeline *time = &clock->time;
  int64_t delay = (int64_t)time->written + time->offset - (int64_t)time->now;
  vc_snapshot snapshot = {
      .playout = {.now_frame = time->now,
                  .delay_frames = (uint32_t)(delay < 0 ? 0 : delay),
                  .queued_packets = (uint32_t)vc_playback_queued(&core->playback),
                  .next_capture_frame = core->next_capture_frame,
                  .epoch = core->epoch,
                  .progress = clock->progress,
                  .drift_ppm = (float)(vc_drift_speed(&time->drift) * 1e6),
                  .hidden_latency_frames = time->hidden,
                  .audible = clock->speaking,
                  .drift_state = vc_steering_state(&core->steering, &time->drift),
                  .hidden_state = time->hidden_state,
                  .reference_state = vc_wired_reference_state(&core->wired),
                  .half_duplex = vc_duplex_is_half(&core->duplex)},
      .counters = core->counters};
  vc_publish(&core->published, &snapshot);
}

int vc_core_create(vc_core **out, const vc_config *config) {
  if (!out || !config || config->bit_rate <= 0 || config->expected_loss_pct < 0)
    return -EINVAL;
  bool is_locked = false;
  vc_core *core = vc_arena_create(sizeof *core, &is_locked);
  if (!core)
    return -ENOMEM;
  core->is_locked = is_locked;
  int result = create_stages(core, config);
  if (result < 0) {
    vc_core_destroy(core);
    return result;
  }
  core->listens = config->listens != 0;
  core->yields = config->yields != 0;
  core->follows_drift = config->follows_drift != 0;
  core->gain = 1;
  vc_yielding_init(&core->yielding);
  vd_asrc_init(&core->asrc);
  vc_playout_init(&core->clock, vd_asrc_held_frames(&core->asrc));
  vc_steering_init(&core->steering);
  publish(core);
  *out = core;
  return 0;
}

void vc_core_destroy(vc_core *core) {
  if (!core)
    return;
  vc_playback_close(&core->playback);
  vc_residual_destroy(core->residual);
  vc_echo_stage_destroy(core->stage);
  vc_bulk_delay_destroy(core->delay);
  vc_uplink_destroy(&core->uplink);
  vc_local_speech_destroy(&core->local);
  vc_duplex_destroy(&core->duplex);
  vc_arena_destroy(core, sizeof *core);
}

static void take_packets(vc_core *core, const vc_input *input) {
  vc_playback_flush(&core->playback, input->flush_below);
  size_t count = input->packet_count;
  if (count > VC_PACKETS_IN_MAX) {
    core->counters.refused_packets += count - VC_PACKETS_IN_MAX;
    count = VC_PACKETS_IN_MAX;
  }
  for (size_t i = 0; i < count; i++)
    vc_playback_offer(&core->playback, &input->packets[i]);
}

/// Lost capture time becomes silence on the way up, so that its timeline goes on.
/// Result: whether the capture index jumped.
static bool bridge_capture_gap(vc_core *core, uint64_t start, vc_output *output,
                               vc_events *events) {
  uint64_t expected = core->next_capture_frame;
  core->next_capture_frame = start + VC_BLOCK_FRAMES;
  if (start == expected)
    return false;
  core->counters.capture_gaps++;
  if (!core->listens)
    return true;
  // The index never runs back on a working device; were it to, nothing can be made up.
  if (start > expected)
    vc_uplink_skip(&core->uplink, start - expected, output);
  vc_local_speech_cut(&core->local, events);
  return true;
}

/// One block of speech, and as many frames of it as the speaker's clock takes meanwhile.
static void speak(vc_core *core, const vc_timing *timing, vc_output *output) {
  float block[VC_BLOCK_FRAMES] = {0};
  vc_spans spans = {0};
  // Without a speaker the voice waits where it is; what is to be cut is cut all the same.
  if (!timing->speaker_is_gone || core->playback.fading)
    vc_playback_pull(&core->playback, block, &spans);
  vc_yielding_duck(&core->yielding, block);
  const vc_timeline *time = &core->clock.time;
  double ratio = vc_steering_ratio(&core->steering, &time->drift, vc_timeline_in_flight(time),
                                   timing->target_frames);
  output->speaker_frames = vd_asrc_process(&core->asrc, block, VC_BLOCK_FRAMES,
                                           core->follows_drift ? ratio : 1, output->speaker);
  vc_playout_write(&core->clock, block, &spans, output->speaker_frames,
                   vd_asrc_held_frames(&core->asrc));
}

/// Finds how much later than by the device's report the agent is heard, and corrects the clock.
static void find_latency(vc_core *core, const float *microphone, uint64_t start) {
  if (!core->delay)
    return;
  if (core->speakers != core->clock.time.speakers) {
    core->speakers = core->clock.time.speakers;
    vc_bulk_delay_reset(core->delay);
  }
  float reported[VC_BLOCK_FRAMES];
  vc_playout_reported_reference(&core->clock, (int64_t)start, reported);
  vc_bulk_delay_push(core->delay, reported, microphone);
  uint32_t echo_frames = 0;
  if (!vc_bulk_delay_read(core->delay, &echo_frames))
    return;
  uint32_t before = core->clock.time.hidden;
  vc_playout_correct(&core->clock, echo_frames);
  if (core->stage && core->clock.time.hidden != before)
    vc_echo_stage_restart(core->stage);
}

/// What the speaker plays, as the canceller takes it.
/// Result: by how many ms it comes before its echo, the way through the air aside.
static int take_reference(vc_core *core, const vc_input *input, float *reference) {
  int64_t start = (int64_t)input->timing.capture_frames;
  if (input->reference) {
    vc_playout_reference(&core->clock, start, reference);
    bool was_wired = vc_wired_reference_is_used(&core->wired);
    bool is_wired = vc_wired_reference_step(&core->wired, input->reference, reference);
    // Another moment than before: what was learnt of the way holds no more.
    if (is_wired != was_wired && core->stage)
      vc_echo_stage_restart(core->stage);
    if (is_wired) {
      memcpy(reference, input->reference, VC_BLOCK_FRAMES * sizeof *reference);
      return 0;
    }
  }
  vc_playout_reference(&core->clock, start + REFERENCE_LEAD_FRAMES, reference);
  return REFERENCE_LEAD_MS;
}

static void clean(vc_core *core, const vc_input *input, float *out) {
  find_latency(core, input->microphone, input->timing.capture_frames);
  if (!core->stage && !core->residual) {
    memcpy(out, input->microphone, VC_BLOCK_FRAMES * sizeof *out);
    return;
  }
  float reference[VC_BLOCK_FRAMES];
  int lead_ms = take_reference(core, input, reference);
  if (core->stage)
    vc_echo_stage_process(core->stage, reference, input->microphone, out);
  else
    vc_residual_process(core->residual, reference, input->microphone, lead_ms, out);
}

/// Whether the agent is heard in the block that begins at capture frame `start`, the room's tail
/// included.
static bool agent_sounds(const vc_core *core, uint64_t start) {
  return vc_playout_sounds(&core->clock, (int64_t)start, (int64_t)start + VC_BLOCK_FRAMES,
                           GATE_LEAD_FRAMES, VC_ROOM_TAIL_FRAMES + (int64_t)core->latency);
}

/// Lets what the canceller left decide whether the agent may be spoken over.
static void judge_duplex(vc_core *core, uint64_t start, bool jumped, const float *block,
                         vc_events *events) {
  vc_duplex_input input = {.sounds = agent_sounds(core, start),
                           .stage = core->stage ? vc_echo_stage_state(core->stage) : 0,
                           .is_disturbed = jumped,
                           .overs = core->yielding.overs};
  vc_duplex_step(&core->duplex, core->muted ? NULL : block, (int64_t)start - (int64_t)core->latency,
                 &input, events);
}

static void follow_mute(vc_core *core, bool muted, uint64_t start) {
  if (muted && !core->muted)
    vc_uplink_silence(&core->uplink);
  if (!muted && core->muted)
    core->open_from = start + core->latency + UNMUTE_MARGIN_FRAMES;
  core->muted = muted;
}

/// Whether nothing of the microphone may leave, from capture frame `start` on.
static bool holds_mute(const vc_core *core, uint64_t start) {
  return core->muted || start < core->open_from;
}

/// Applies mute and gate. Result: whether the block became digital silence.
static bool guard(vc_core *core, uint64_t start, float *block) {
  bool is_muted = holds_mute(core, start);
  bool is_shut = vc_duplex_is_half(&core->duplex) && agent_sounds(core, start);
  float target = is_muted || is_shut ? 0.0f : 1.0f;
  // The gate may ramp down, for nothing of the agent is heard yet; a mute may not.
  float gain = is_muted ? 0.0f : core->gain;
  core->gain = target;
  if (gain == 0.0f && target == 0.0f) {
    memset(block, 0, VC_BLOCK_FRAMES * sizeof *block);
    return true;
  }
  if (gain == target)
    return false;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    float way = i < GATE_RAMP_FRAMES ? (float)(i + 1) / GATE_RAMP_FRAMES : 1.0f;
    block[i] *= gain + (target - gain) * way;
  }
  return false;
}

/// What becomes of the microphone's block. Result: whether nothing of it passed.
static bool listen(vc_core *core, const vc_input *input, bool jumped, float *block,
                   vc_output *output, vc_events *events) {
  uint64_t start = input->timing.capture_frames;
  clean(core, input, block);
  follow_mute(core, input->muted != 0, start);
  judge_duplex(core, start, jumped, block, events);
  bool cut = guard(core, start, block);
  if (cut && !core->cut)
    vc_local_speech_cut(&core->local, events);
  if (!cut)
    vc_local_speech_push(&core->local, block, (int64_t)start - (int64_t)core->latency, events);
  core->cut = cut;
  vc_uplink_push(&core->uplink, block, VC_BLOCK_FRAMES, output);
  return cut;
}

static void tell_levels(vc_core *core, uint64_t start, const float *block, bool cut,
                        vc_events *events) {
  float seconds = (float)VC_BLOCK_FRAMES / 48000.0f;
  float microphone = vd_level_update(&core->microphone_level, block, VC_BLOCK_FRAMES, seconds);
  float speaker = vc_playout_level(&core->clock);
  if (core->counters.blocks % LEVEL_BLOCKS == 0)
    vc_events_add(events, &(vc_event){.kind = VC_EVENT_LEVELS,
                                      .timestamp = (uint32_t)start,
                                      .microphone_level = cut ? 0 : microphone,
                                      .speaker_level = speaker});
}

void vc_core_step(vc_core *core, const vc_input *input, vc_output *output) VD_NONBLOCKING {
  vc_events events = {.events = output->events};
  output->packet_count = 0;
  core->counters.blocks++;
  take_packets(core, input);
  bool jumped = bridge_capture_gap(core, input->timing.capture_frames, output, &events);
  jumped |= input->timing.epoch != core->epoch;
  core->epoch = input->timing.epoch;
  if (vc_playout_advance(&core->clock, &input->timing, jumped, &events))
    vc_steering_restart(&core->steering);
  // Half duplex, nobody is heard over the agent.
  vc_yielding_step(&core->yielding, &core->local, input,
                   !core->yields || vc_duplex_is_half(&core->duplex), &core->clock.progress,
                   &core->playback, &events);
  speak(core, &input->timing, output);
  float block[VC_BLOCK_FRAMES] = {0};
  bool cut = !core->listens || listen(core, input, jumped, block, output, &events);
  tell_levels(core, input->timing.capture_frames, block, cut, &events);
  output->event_count = events.count;
  core->counters.dropped_events += events.dropped;
  publish(core);
}

static int16_t quantise(float value) {
  float scaled = value * 32768.0f;
  if (!(scaled > -32768.0f))
    return INT16_MIN; // Not a number ends here too.
  return scaled > 32767.0f ? INT16_MAX : (int16_t)lrintf(scaled);
}

void vc_core_hear(const vc_core *core, const float *microphone, vc_heard *heard) VD_NONBLOCKING {
  uint64_t start = core->next_capture_frame - VC_BLOCK_FRAMES;
  bool is_muted = holds_mute(core, start);
  float speaker[VC_BLOCK_FRAMES];
  vc_playout_reference(&core->clock, (int64_t)start, speaker);
  heard->capture_frames = start;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    heard->samples[2 * i] = is_muted ? 0 : quantise(microphone[i]);
    heard->samples[2 * i + 1] = quantise(speaker[i]);
  }
}

int vc_core_is_locked(const vc_core *core) {
  return core->is_locked;
}

void vc_core_playout(const vc_core *core, vc_playout *playout) {
  vc_snapshot snapshot;
  vc_published_read(&core->published, &snapshot);
  *playout = snapshot.playout;
}

void vc_core_counters(const vc_core *core, vc_counters *counters) {
  vc_snapshot snapshot;
  vc_published_read(&core->published, &snapshot);
  *counters = snapshot.counters;
}
