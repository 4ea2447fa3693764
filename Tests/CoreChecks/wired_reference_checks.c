#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "voice_core.h"
#include "wired_reference.h"

// The device's own reference channel: used once it has proved itself, never when it is a
// microphone.

typedef enum { WIRED_TRUE, WIRED_DEAD, WIRED_IS_A_MICROPHONE } channel;

static void make_noise(float *block, float amplitude) {
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    block[i] = amplitude * ((float)checks_random_below(20001) / 10000 - 1);
}

/// Two turns: 1 s of nobody, 2 s of the agent, 1 s of nobody, 1 s of the person.
static uint8_t run(channel what, int *used_blocks) {
  vc_wired_reference reference = {0};
  *used_blocks = 0;
  for (int block = 0; block < 1000; block++) {
    const int second = block / 100 % 5;
    float played[VC_BLOCK_FRAMES] = {0}, person[VC_BLOCK_FRAMES], wired[VC_BLOCK_FRAMES];
    if (second == 1 || second == 2)
      make_noise(played, 0.1f);
    make_noise(person, second == 4 ? 0.1f : 1e-4f);
    for (int i = 0; i < VC_BLOCK_FRAMES; i++)
      wired[i] = what == WIRED_TRUE   ? played[i]
                 : what == WIRED_DEAD ? 0
                                      : person[i] + 0.3f * played[i];
    *used_blocks += vc_wired_reference_step(&reference, wired, played);
  }
  return vc_wired_reference_state(&reference);
}

CHECK_CASE(a_reference_channel_is_used_once_it_has_proved_itself) {
  int used;
  CHECK(run(WIRED_TRUE, &used) == VC_REFERENCE_WIRED && used > 800);
  CHECK(run(WIRED_DEAD, &used) == VC_REFERENCE_REFUSED && used == 0);
  CHECK(run(WIRED_IS_A_MICROPHONE, &used) == VC_REFERENCE_REFUSED && used < 320);
}

enum { SECONDS = 14, HIDDEN = 24000, RING = 65536, LINE = 1440 };

/// 10 ms of what could be speech: louder and softer, with pauses.
static void fill_speech(vd_packet *packet, uint32_t sequence) {
  *packet = (vd_packet){.generation = 1, .sequence = sequence, .kind = VD_PACKET_PCM16};
  int16_t samples[VC_BLOCK_FRAMES];
  const float gain = sequence % 80 < 60 ? 4000.0f : 0.0f;
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    samples[i] = (int16_t)(gain * ((float)checks_random_below(2001) / 1000 - 1));
  packet->bytes = sizeof samples;
  memcpy(packet->payload, samples, sizeof samples);
}

/// The person, in the last 3 s, over the agent: a hum of 12 harmonics that comes and goes.
static float person(uint64_t frame) {
  const double t = (double)frame / 48000;
  if (t < SECONDS - 3)
    return 0;
  double sum = 0;
  for (int h = 1; h <= 12; h++)
    sum += sin(2 * M_PI * 140 * h * t) / h;
  return (float)(0.08 * sum * (0.55 + 0.45 * sin(2 * M_PI * 3 * t)));
}

/// A core with a device that hides 500 ms: by what was written nothing can be cancelled, and only
/// the wired channel says when it is heard.
/// Result: mean level at which the person passes over the agent, 0..1.
static double person_heard(int is_wired, uint8_t *state) {
  vc_config config = vc_config_default();
  config.cancels_echo = VC_CANCELS_ITSELF;
  config.half_duplex = config.suppresses_noise = config.yields = 0;
  vc_core *core = NULL;
  CHECK(vc_core_create(&core, &config) == 0);
  vc_output *output = malloc(sizeof *output);
  float *heard = calloc(RING, sizeof *heard);
  uint64_t written = 0;
  double level = 0;
  int levels = 0;
  for (uint64_t block = 0; block < SECONDS * 100; block++) {
    float microphone[VC_BLOCK_FRAMES], reference[VC_BLOCK_FRAMES];
    for (uint64_t i = 0; i < VC_BLOCK_FRAMES; i++) {
      const uint64_t frame = block * VC_BLOCK_FRAMES + i, at = frame + RING;
      reference[i] = heard[at % RING];
      microphone[i] = 0.5f * heard[(at - 96) % RING] + 0.2f * heard[(at - 500) % RING] +
                      1e-5f * ((float)checks_random_below(2001) / 1000 - 1) + person(frame);
    }
    vd_packet packet;
    vc_input input = {.microphone = microphone,
                      .reference = is_wired ? reference : NULL,
                      .timing = {.capture_frames = block * VC_BLOCK_FRAMES,
                                 .play_delay_frames = LINE,
                                 .target_frames = LINE}};
    if (block >= 200) {
      fill_speech(&packet, (uint32_t)block - 200);
      input.packets = &packet;
      input.packet_count = 1;
    }
    vc_core_step(core, &input, output);
    for (size_t i = 0; i < output->speaker_frames; i++)
      heard[(written + i + VC_BLOCK_FRAMES + LINE + HIDDEN) % RING] = output->speaker[i];
    written += output->speaker_frames;
    for (size_t e = 0; e < output->event_count; e++)
      if (output->events[e].kind == VC_EVENT_LEVELS && block > (SECONDS - 2) * 100) {
        level += (double)output->events[e].microphone_level;
        levels++;
      }
  }
  vc_playout playout;
  vc_core_playout(core, &playout);
  *state = playout.reference_state;
  free(heard);
  free(output);
  vc_core_destroy(core);
  return level / levels;
}

CHECK_CASE(the_core_cancels_by_the_wired_channel_what_it_could_not_by_what_it_wrote) {
  uint8_t state;
  const double wired = person_heard(1, &state);
  CHECK(state == VC_REFERENCE_WIRED);
  const double written = person_heard(0, &state);
  CHECK(state == VC_REFERENCE_WRITTEN);
  printf("    {\"person_level_wired\":%.2f,\"person_level_written\":%.2f}\n", wired, written);
  CHECK(wired > 0.3 && written < 0.1);
}
