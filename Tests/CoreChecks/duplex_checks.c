#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "duplex_policy.h"
#include "voice_core.h"

// Half duplex until cancelling is shown, and again when it fails.

static vc_duplex_input calm(void) {
  return (vc_duplex_input){.sounds = true, .cancels = true, .has_window = true};
}

/// Result: windows until full duplex; `most` when it did not come.
static uint32_t prove(vc_duplex_policy *policy, uint32_t most) {
  vc_duplex_input input = calm();
  input.overs = policy->overs;
  for (uint32_t windows = 1; windows <= most; windows++)
    if (vc_duplex_policy_step(policy, &input))
      return windows;
  return most;
}

CHECK_CASE(duplex_is_half_until_three_seconds_of_the_agent_stayed_calm) {
  vc_duplex_policy policy = {0};
  CHECK(prove(&policy, 1000) == VC_DUPLEX_PROOF_WINDOWS);
}

CHECK_CASE(duplex_counts_no_silence_no_voice_and_nothing_uncancelled) {
  static const char *const why[] = {"silent agent", "voiced", "not cancelling", "disturbed"};
  for (size_t reason = 0; reason < sizeof why / sizeof *why; reason++) {
    vc_duplex_policy policy = {0};
    CHECK(prove(&policy, VC_DUPLEX_PROOF_WINDOWS - 1) == VC_DUPLEX_PROOF_WINDOWS - 1);
    vc_duplex_input input = calm();
    input.sounds = reason != 0;
    input.is_voiced = reason == 1;
    input.cancels = reason != 2;
    input.is_disturbed = reason == 3;
    CHECK(!vc_duplex_policy_step(&policy, &input));
    // Silence only does not count; all else begins anew.
    CHECK(prove(&policy, 1000) == (reason == 0 ? 1 : VC_DUPLEX_PROOF_WINDOWS));
  }
}

CHECK_CASE(duplex_goes_back_when_cancelling_fails_and_wants_more_each_time) {
  vc_duplex_policy policy = {0};
  uint32_t needed = VC_DUPLEX_PROOF_WINDOWS;
  for (int failure = 0; failure < 6; failure++) {
    CHECK(prove(&policy, 10000) == needed);
    vc_duplex_input input = calm();
    input.cancels = failure % 2 == 0;
    input.is_disturbed = !input.cancels ? false : true;
    CHECK(!vc_duplex_policy_step(&policy, &input));
    needed = 2 * needed < VC_DUPLEX_PROOF_MOST ? 2 * needed : VC_DUPLEX_PROOF_MOST;
  }
  prove(&policy, 10000);
  vc_duplex_input input = calm();
  for (int block = 0; block <= VC_DUPLEX_TRUSTED_BLOCKS; block++)
    CHECK(vc_duplex_policy_step(&policy, &input));
  input.cancels = false;
  CHECK(!vc_duplex_policy_step(&policy, &input));
  CHECK(prove(&policy, 10000) == 2 * VC_DUPLEX_PROOF_WINDOWS);
}

CHECK_CASE(duplex_goes_back_when_the_agent_yields_to_nobody_again_and_again) {
  vc_duplex_policy policy = {0};
  prove(&policy, 1000);
  vc_duplex_input input = calm();
  // A cough a minute of the agent's speech is a person's.
  for (int cough = 0; cough < 5; cough++) {
    input.overs++;
    for (int block = 0; block < 6000; block++)
      CHECK(vc_duplex_policy_step(&policy, &input));
  }
  for (int over = 1; over <= VC_DUPLEX_VAIN_MOST; over++) {
    input.overs++;
    bool is_full = vc_duplex_policy_step(&policy, &input);
    for (int block = 0; block < 300 && is_full; block++)
      is_full = vc_duplex_policy_step(&policy, &input);
    CHECK(is_full == (over < VC_DUPLEX_VAIN_MOST));
  }
}

enum { RING = 65536, LINE = 1440 };

/// A core in a room that returns the agent's voice, half as loud.
typedef struct {
  vc_core *core;
  vc_output *output;
  float *air;
  uint64_t block, written;
  uint32_t sequence;
  float noise; ///< of the microphone
  size_t events[VC_EVENT_HALF_DUPLEX + 1];
} room;

static room *enter(uint8_t cancels, uint8_t half_duplex) {
  room *room = calloc(1, sizeof *room);
  vc_config config = vc_config_default();
  config.cancels_echo = cancels;
  config.half_duplex = half_duplex;
  config.suppresses_noise = 0;
  CHECK(vc_core_create(&room->core, &config) == 0);
  room->noise = 1e-5f;
  room->output = malloc(sizeof *room->output);
  room->air = calloc(RING, sizeof *room->air);
  return room;
}

static void leave(room *room) {
  vc_core_destroy(room->core);
  free(room->output);
  free(room->air);
  free(room);
}

static bool is_half(const room *room) {
  vc_playout playout;
  vc_core_playout(room->core, &playout);
  return playout.half_duplex != 0;
}

/// Lets the agent speak. `person`: level of somebody who speaks too; `echo`: of the agent at the
/// microphone.
static void speak(room *room, int blocks, float person, float echo) {
  for (int b = 0; b < blocks; b++, room->block++) {
    float microphone[VC_BLOCK_FRAMES];
    for (uint64_t i = 0; i < VC_BLOCK_FRAMES; i++) {
      const uint64_t frame = room->block * VC_BLOCK_FRAMES + i, at = frame + RING;
      const double t = (double)frame / 48000;
      double hum = 0;
      for (int h = 1; person > 0 && h <= 12; h++)
        hum += sin(2 * M_PI * 140 * h * t) / h;
      microphone[i] =
          echo * (room->air[(at - 96) % RING] + 0.4f * room->air[(at - 500) % RING]) +
          (room->noise > 0 ? room->noise : 1e-5f) * ((float)checks_random_below(2001) / 1000 - 1) +
          person * (float)(hum * (0.55 + 0.45 * sin(2 * M_PI * 3 * t)));
    }
    vd_packet packet = {
        .generation = 1, .sequence = room->sequence++, .kind = VD_PACKET_PCM16, .bytes = 960};
    for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
      const float gain = packet.sequence % 80 < 60 ? 4000.0f : 0.0f;
      const int16_t value = (int16_t)(gain * ((float)checks_random_below(2001) / 1000 - 1));
      memcpy(&packet.payload[2 * i], &value, sizeof value);
    }
    vc_input input = {.microphone = microphone,
                      .packets = &packet,
                      .packet_count = 1,
                      .timing = {.capture_frames = room->block * VC_BLOCK_FRAMES,
                                 .play_delay_frames = LINE,
                                 .target_frames = LINE}};
    vc_core_step(room->core, &input, room->output);
    for (size_t i = 0; i < room->output->speaker_frames; i++)
      room->air[(room->written + i + VC_BLOCK_FRAMES + LINE) % RING] = room->output->speaker[i];
    room->written += room->output->speaker_frames;
    for (size_t e = 0; e < room->output->event_count; e++)
      room->events[room->output->events[e].kind]++;
  }
}

CHECK_CASE(a_core_lets_nobody_in_before_cancelling_is_shown_and_hears_a_person_then) {
  room *room = enter(VC_CANCELS_ITSELF, VC_HALF_DUPLEX_UNTIL_SHOWN);
  CHECK(is_half(room));
  speak(room, 250, 0, 0.5f);
  CHECK(is_half(room));
  speak(room, 250, 0, 0.5f);
  CHECK(!is_half(room) && room->events[VC_EVENT_FULL_DUPLEX] == 1);
  CHECK(room->events[VC_EVENT_LOCAL_SPEECH_STARTED] == 0 && room->events[VC_EVENT_BARGE_IN] == 0);
  speak(room, 100, 0.2f, 0.5f);
  CHECK(room->events[VC_EVENT_LOCAL_SPEECH_STARTED] == 1 && room->events[VC_EVENT_BARGE_IN] == 1);
  leave(room);
}

CHECK_CASE(a_core_stays_half_duplex_without_a_canceller_that_shows_it) {
  static const uint8_t cancellers[] = {VC_CANCELS_NOTHING, VC_CANCELS_BY_LIBRARY};
  for (size_t i = 0; i < 2; i++) {
    room *room = enter(cancellers[i], VC_HALF_DUPLEX_UNTIL_SHOWN);
    speak(room, 800, 0, 0.5f);
    speak(room, 100, 0.2f, 0.5f);
    CHECK(is_half(room));
    CHECK(room->events[VC_EVENT_LOCAL_SPEECH_STARTED] == 0 && room->events[VC_EVENT_BARGE_IN] == 0);
    leave(room);
  }
}

CHECK_CASE(a_core_takes_a_microphone_that_hears_no_agent_for_no_proof) {
  static const float noises[] = {0, 4e-4f};
  for (size_t i = 0; i < 2; i++) {
    room *room = enter(VC_CANCELS_ITSELF, VC_HALF_DUPLEX_UNTIL_SHOWN);
    room->noise = noises[i];
    speak(room, 800, 0, 0);
    CHECK(is_half(room));
    // The speaker is turned up: what is heard of the agent then is nobody's speech.
    speak(room, 100, 0, 0.5f);
    CHECK(is_half(room) && room->events[VC_EVENT_LOCAL_SPEECH_STARTED] == 0);
    speak(room, 1400, 0, 0.5f);
    CHECK(!is_half(room) && room->events[VC_EVENT_LOCAL_SPEECH_STARTED] == 0);
    leave(room);
  }
}
