#include "scripted_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "absent_pcm.h"
#include "pair_exchange.h"
#include "scripted_world.h"

/// The time at which the first sample of a block was captured, against its index.
static void hold_timeline(const float *microphone, const vc_timing *timing) {
  if (microphone[0] == 0)
    return;
  double captured = (double)lrintf(microphone[0] * NUMBER_SCALE) - 1;
  double offset = captured - (double)timing->capture_frames;
  if (!world.has_offset)
    world.first_capture_offset = offset;
  world.has_offset = true;
  double error = fabs(offset - world.first_capture_offset) / 48;
  if (world.last_stall_ns && world.now_ns < world.last_stall_ns + 40000000)
    return;
  if (error > world.result->worst_timeline_ms)
    world.result->worst_timeline_ms = error;
}

static void watch_flight(const vc_timing *timing) {
  scripted_result *result = world.result;
  result->last_in_flight = timing->play_delay_frames + (double)timing->capture_delay_frames;
  if (world.now_ns > world.started_ns + world.setting->stop_ns - 1000000000) {
    world.flight_sum += result->last_in_flight;
    world.flight_count++;
    result->mean_in_flight = world.flight_sum / (double)world.flight_count;
  }
  if (world.now_ns < world.last_fault_ns + 500000000)
    return;
  if (result->last_in_flight < result->least_in_flight)
    result->least_in_flight = result->last_in_flight;
  if (result->last_in_flight > result->most_in_flight)
    result->most_in_flight = result->last_in_flight;
}

static int step(void *context, const float *microphone, const float *reference, float *speaker,
                size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING {
  (void)context, (void)reference;
  scripted_result *result = world.result;
  double gap = (double)(world.now_ns - world.last_block_ns) * 1e-6;
  if (result->captured_blocks > 0 && gap > result->longest_gap_ms)
    result->longest_gap_ms = gap;
  world.last_block_ns = world.now_ns;
  result->captured_blocks++;
  hold_timeline(microphone, timing);
  watch_flight(timing);
  const int side = world.offered_side;
  const bool runs = world.loop->counters.is_running[side] && !world.loop->is_absent[side];
  if (world.offered_ns && runs && result->taken_ms == 0)
    result->taken_ms = (double)(world.now_ns - world.offered_ns) * 1e-6;
  uint64_t unplayed = timing->unplayed_frames;
  for (uint64_t i = 0; i < unplayed && i < result->written_frames; i++)
    if (result->written_frames - 1 - i < SCRIPTED_FRAMES_MAX)
      world.fate[result->written_frames - 1 - i] |= 2;
  result->told_unplayed += unplayed;
  int64_t passed = world.now_ns - world.started_ns;
  bool speaks = world.setting->speaks &&
                !(world.setting->silent_after_ns && passed > world.setting->silent_after_ns);
  *speaker_frames = VC_BLOCK_FRAMES;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    uint64_t number = result->written_frames + i;
    speaker[i] = speaks && number < SCRIPTED_FRAMES_MAX ? (float)(number + 1) / NUMBER_SCALE : 0;
    if (number < SCRIPTED_FRAMES_MAX)
      world.said[number] =
          (float)((double)timing->now_ns * 1e-6 + (timing->play_delay_frames + (double)i) / 48);
  }
  result->written_frames += VC_BLOCK_FRAMES;
  return 0;
}

static void tell(void *context, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING {
  (void)context, (void)timestamp;
  if (kind < 16)
    world.result->events[kind]++;
}

void scripted_default(scripted_setting *setting) {
  memset(setting, 0, sizeof *setting);
  setting->period = 480;
  setting->buffer = 3840;
  setting->stop_ns = 3000000000;
  setting->speaks = true;
}

void scripted_add(scripted_setting *setting, scripted_fault fault) {
  if (setting->fault_count == SCRIPTED_FAULTS_MAX)
    return;
  // Kept in order of time, as the device looks for the next.
  size_t at = setting->fault_count++;
  for (; at > 0 && setting->faults[at - 1].at_ns > fault.at_ns; at--)
    setting->faults[at] = setting->faults[at - 1];
  setting->faults[at] = fault;
}

static void judge(void) {
  scripted_result *result = world.result;
  uint64_t known =
      result->written_frames < SCRIPTED_FRAMES_MAX ? result->written_frames : SCRIPTED_FRAMES_MAX;
  // What is in the speaker at the end is neither.
  uint64_t last = 0;
  for (uint64_t i = 0; i < known; i++)
    if (world.fate[i] & 1)
      last = i;
  for (uint64_t i = 0; world.setting->speaks && i < last; i++)
    result->wrongly_told += world.fate[i] != 1 && world.fate[i] != 2;
}

/// Opens a side as the setting says. The handle is the side itself.
static ad_pcm *open_side(int side) {
  ad_pcm_shape shape = {.handle = (snd_pcm_t *)&world.sides[side],
                        .calls = &scripted_calls,
                        .captures = side == AD_MICROPHONE,
                        .format = AD_FLOAT,
                        .rate_hz = world.setting->rate_hz ? world.setting->rate_hz : 48000,
                        .channels = 1,
                        .period = world.setting->period,
                        .buffer = world.setting->buffer,
                        .mask = 1};
  ad_pcm *pcm = NULL;
  if (ad_pcm_create(&pcm, &shape) != 0)
    abort();
  return pcm;
}

scripted_result scripted_run(const scripted_setting *setting, ad_pair_loop *loop) {
  static scripted_setting faults;
  scripted_result result = {.least_in_flight = 1e9};
  uint8_t *fate = world.fate ? world.fate : calloc(SCRIPTED_FRAMES_MAX, 1);
  float *said = world.said ? world.said : calloc(SCRIPTED_FRAMES_MAX, sizeof *said);
  memset(&world, 0, sizeof world);
  memset(fate, 0, SCRIPTED_FRAMES_MAX);
  world.fate = fate;
  world.said = said;
  faults = *setting;
  world.setting = setting;
  world.faults = &faults;
  world.loop = loop;
  world.result = &result;
  world.now_ns = world.started_ns = world.window_ns = 1000000000;
  *loop =
      (ad_pair_loop){.calls = &scripted_calls, .step = step, .tell = tell, .wake = -1, .stop = -1};
  loop->prefill_frames = setting->prefill_frames ? setting->prefill_frames : 1440;
  loop->is_untimed = setting->is_untimed;
  for (int side = 0; side < 2; side++) {
    scripted_reset(side);
    *(side == AD_MICROPHONE ? &loop->pair.capture : &loop->pair.playback) = open_side(side);
    if (!setting->goes_on_alone)
      continue;
    world.spare[side] = open_side(side);
    if (ad_absent_create(&loop->absent[side], side == AD_MICROPHONE, &scripted_calls) != 0)
      abort();
  }
  ad_pair_loop_run(loop);
  result.ended_ms = (double)(world.now_ns - world.started_ns - setting->stop_ns) * 1e-6;
  result.offered_ms = (double)world.offered_ns * 1e-6;
  result.is_lost = loop->lost_reason[0] != 0;
  result.epoch = loop->epoch;
  judge();
  ad_pair_close_exchanged(loop);
  ad_pcm_close(world.spare[AD_MICROPHONE]);
  ad_pcm_close(world.spare[AD_SPEAKER]);
  ad_pair_close(&loop->pair);
  return result;
}
