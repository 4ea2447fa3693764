#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "barge_in.h"
#include "checks.h"
#include "voice_core.h"

// The decision alone, as a script of windows.

enum { BLOCKS_OF_A_WINDOW = 3 };

/// Lets windows pass, 'V' voiced and '.' not. Result: the state after the last.
static vc_barge_state hear(vc_barge_in *barge, const char *windows, bool has_speech) {
  vc_barge_state state = barge->state;
  for (; *windows; windows++) {
    for (int block = 0; block < BLOCKS_OF_A_WINDOW; block++) {
      const vc_barge_input input = {.has_speech = has_speech,
                                    .has_window = block == 0,
                                    .is_voiced = *windows == 'V',
                                    .releases = barge->releases};
      state = vc_barge_in_step(barge, &input);
    }
  }
  return state;
}

CHECK_CASE(a_click_makes_the_voice_quiet_and_no_more) {
  vc_barge_in barge = {0};
  CHECK(hear(&barge, "....V", true) == VC_BARGE_DUCKED);
  CHECK(hear(&barge, "..V..", true) == VC_BARGE_DUCKED);
  CHECK(hear(&barge, ".......", true) == VC_BARGE_NONE);
}

CHECK_CASE(a_tenth_of_a_second_of_voice_stops_the_agent) {
  vc_barge_in barge = {0};
  CHECK(hear(&barge, "VV", true) == VC_BARGE_DUCKED);
  CHECK(hear(&barge, "V", true) == VC_BARGE_STOPPED);
  vc_barge_in hoarse = {0};
  CHECK(hear(&hoarse, "VV.V", true) == VC_BARGE_STOPPED);
}

CHECK_CASE(half_a_second_over_the_agent_has_the_floor) {
  vc_barge_in barge = {0};
  CHECK(hear(&barge, "VVVVVVVVVVVVVVV", true) == VC_BARGE_STOPPED);
  CHECK(hear(&barge, "V", true) == VC_BARGE_GIVEN_UP);
}

CHECK_CASE(nobody_is_interrupted_while_the_agent_has_nothing_to_say) {
  vc_barge_in barge = {0};
  CHECK(hear(&barge, "VVVVVVVVVVVVVVVVVVVV", false) == VC_BARGE_NONE);
  // And an agent that begins while somebody speaks waits at once.
  CHECK(hear(&barge, "V", true) == VC_BARGE_STOPPED);
}

CHECK_CASE(a_stopped_voice_goes_on_when_it_is_released_flushed_or_forgotten) {
  vc_barge_in barge = {0};
  CHECK(hear(&barge, "VVV", true) == VC_BARGE_STOPPED);
  vc_barge_input released = {.has_speech = true, .releases = 1};
  CHECK(vc_barge_in_step(&barge, &released) == VC_BARGE_NONE);
  CHECK(hear(&barge, "VVV", true) == VC_BARGE_STOPPED);
  vc_barge_input flushed = {.is_flushed = true, .releases = 1};
  CHECK(vc_barge_in_step(&barge, &flushed) == VC_BARGE_NONE);
  CHECK(hear(&barge, "VVV", true) == VC_BARGE_STOPPED);
  for (int block = 0; block < 240; block++)
    (void)vc_barge_in_step(&barge, &released);
  CHECK(barge.state == VC_BARGE_STOPPED);
  for (int block = 0; block < 20; block++)
    (void)vc_barge_in_step(&barge, &released);
  CHECK(barge.state == VC_BARGE_NONE);
}

// The voice itself: a core without a canceller, an agent that hums, a person at the microphone.

enum { DEVICE_FRAMES = 1440, TALK_BLOCKS = 700 };

typedef struct {
  vc_core *core;
  vc_output *output;
  vd_packet *packets;
  uint64_t frames;
  uint32_t sequence, flush_below, releases;
  size_t packet_count;
  float spoken[TALK_BLOCKS * VC_BLOCK_FRAMES];
  size_t spoken_count;
  size_t events[VC_EVENT_BARGE_IN_OVER + 1];
  uint64_t at[VC_EVENT_BARGE_IN_OVER + 1]; ///< capture frame of the newest of each kind
  vc_progress last;
} agent;

static agent *begin(int half_duplex) {
  agent *talk = calloc(1, sizeof *talk);
  vc_config config = vc_config_default();
  config.cancels_echo = config.suppresses_noise = 0;
  config.follows_drift = 0;
  config.half_duplex = (uint8_t)half_duplex;
  CHECK(vc_core_create(&talk->core, &config) == 0);
  talk->output = malloc(sizeof *talk->output);
  talk->packets = calloc(VC_PACKETS_IN_MAX, sizeof *talk->packets);
  return talk;
}

static void end(agent *talk) {
  vc_core_destroy(talk->core);
  free(talk->output);
  free(talk->packets);
  free(talk);
}

/// Queues `count` packets of a tone, 10 ms each, and the generation's end.
static void hum(agent *talk, uint32_t generation, size_t count) {
  static const size_t samples = 480;
  for (size_t i = 0; i <= count && talk->packet_count < VC_PACKETS_IN_MAX; i++) {
    vd_packet *packet = &talk->packets[talk->packet_count++];
    *packet = (vd_packet){.generation = generation,
                          .sequence = talk->sequence++,
                          .kind = i < count ? VD_PACKET_PCM16 : VD_PACKET_END,
                          .bytes = i < count ? (uint16_t)(2 * samples) : 0};
    for (size_t s = 0; s < samples && i < count; s++) {
      const int16_t value =
          (int16_t)lrintf(8000.0f * sinf(0.0261799388f * (float)(packet->sequence * samples + s)));
      memcpy(&packet->payload[2 * s], &value, sizeof value);
    }
  }
}

static void note(agent *talk) {
  for (size_t i = 0; i < talk->output->event_count; i++) {
    const vc_event *event = &talk->output->events[i];
    talk->events[event->kind]++;
    talk->at[event->kind] = talk->frames;
    if (event->kind == VC_EVENT_PLAYED || event->kind >= VC_EVENT_BARGE_IN)
      talk->last = event->progress;
  }
}

static void pass(agent *talk, size_t blocks, bool person_speaks) {
  for (size_t b = 0; b < blocks; b++) {
    float microphone[VC_BLOCK_FRAMES];
    for (size_t i = 0; i < VC_BLOCK_FRAMES; i++)
      microphone[i] = person_speaks ? 0.3f * sinf(0.02f * (float)(i + talk->frames % 9600)) : 0.0f;
    const vc_input input = {.microphone = microphone,
                            .packets = talk->packets,
                            .packet_count = talk->packet_count,
                            .flush_below = talk->flush_below,
                            .releases = talk->releases,
                            .timing = {.capture_frames = talk->frames,
                                       .play_delay_frames = DEVICE_FRAMES,
                                       .target_frames = DEVICE_FRAMES}};
    vc_core_step(talk->core, &input, talk->output);
    talk->packet_count = 0;
    talk->frames += VC_BLOCK_FRAMES;
    note(talk);
    CHECK(talk->output->speaker_frames == VC_BLOCK_FRAMES);
    if (talk->spoken_count + VC_BLOCK_FRAMES <= TALK_BLOCKS * (size_t)VC_BLOCK_FRAMES) {
      memcpy(&talk->spoken[talk->spoken_count], talk->output->speaker,
             VC_BLOCK_FRAMES * sizeof(float));
      talk->spoken_count += VC_BLOCK_FRAMES;
    }
  }
}

/// The largest step between two neighbouring samples of what was spoken: a click.
static float roughest(const agent *talk) {
  float largest = 0;
  for (size_t i = 1; i < talk->spoken_count; i++)
    largest = fmaxf(largest, fabsf(talk->spoken[i] - talk->spoken[i - 1]));
  return largest;
}

static bool is_silent(const agent *talk) {
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++)
    if (talk->output->speaker[i] != 0)
      return false;
  return true;
}

CHECK_CASE(the_voice_stops_when_spoken_over_and_goes_on_where_it_was) {
  agent *talk = begin(0);
  hum(talk, 1, 60);
  pass(talk, 20, false);
  const uint64_t onset = talk->frames;
  size_t heard_out = 0;
  while (!is_silent(talk) && heard_out++ < 40)
    pass(talk, 1, true);
  // Voice onset to the last sample written: windows of 32 ms, three of them, one block of fade.
  CHECK(talk->frames - onset <= 48 * 180);
  CHECK(talk->events[VC_EVENT_BARGE_IN] == 1);
  const uint64_t played = talk->last.played_frames;
  pass(talk, 6, true);
  CHECK(talk->events[VC_EVENT_BARGE_IN_CONFIRMED] == 0);
  pass(talk, 30, false);
  CHECK(is_silent(talk));
  talk->releases++;
  pass(talk, 1, false);
  CHECK(!is_silent(talk));
  CHECK(talk->events[VC_EVENT_BARGE_IN_OVER] == 1);
  pass(talk, 120, false);
  // Every sample was heard once, none twice.
  CHECK(talk->last.finished && talk->last.played_frames == 60 * 480);
  CHECK(played < talk->last.played_frames);
  CHECK(roughest(talk) < 0.02f);
  end(talk);
}

CHECK_CASE(nothing_of_a_stopped_voice_is_heard_once_it_is_flushed) {
  agent *talk = begin(0);
  hum(talk, 1, 60);
  pass(talk, 20, false);
  pass(talk, 70, true);
  CHECK(talk->events[VC_EVENT_BARGE_IN] == 1);
  CHECK(talk->events[VC_EVENT_BARGE_IN_CONFIRMED] == 1);
  const uint64_t played = talk->last.played_frames;
  CHECK(played > 0 && played < 60 * 480);
  talk->flush_below = 2;
  pass(talk, 1, true);
  CHECK(is_silent(talk));
  pass(talk, 5, true);
  CHECK(is_silent(talk));
  CHECK(talk->last.generation == 1 && talk->last.flushed && !talk->last.finished);
  CHECK(talk->last.played_frames == played);
  CHECK(talk->events[VC_EVENT_BARGE_IN_OVER] == 0);
  pass(talk, 60, false);
  // The next reply is as loud as ever.
  hum(talk, 2, 40);
  float loudest = 0;
  for (int block = 0; block < 90; block++) {
    pass(talk, 1, false);
    for (size_t i = 0; i < VC_BLOCK_FRAMES; i++)
      loudest = fmaxf(loudest, talk->output->speaker[i]);
  }
  CHECK(talk->last.generation == 2 && talk->last.finished);
  CHECK(loudest > 0.24f);
  end(talk);
}

CHECK_CASE(a_reply_that_comes_while_the_person_speaks_is_not_begun) {
  agent *talk = begin(0);
  pass(talk, 30, true);
  hum(talk, 1, 20);
  pass(talk, 20, true);
  CHECK(talk->last.generation == 0);
  pass(talk, 300, false);
  // Nobody said what became of it: the voice does not wait for ever.
  CHECK(talk->last.generation == 1 && talk->last.finished);
  end(talk);
}

CHECK_CASE(control_half_duplex_cannot_be_spoken_over) {
  agent *talk = begin(1);
  hum(talk, 1, 60);
  pass(talk, 20, false);
  pass(talk, 120, true);
  CHECK(talk->events[VC_EVENT_BARGE_IN] == 0);
  CHECK(talk->last.finished && talk->last.played_frames == 60 * 480);
  end(talk);
}
