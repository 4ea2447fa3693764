#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "voice_core.h"

/// Feeds a core whatever a broken device and a hostile router could.
static void survive(uint8_t half_duplex) {
  vc_config config = vc_config_default();
  config.half_duplex = half_duplex;
  vc_core *core = NULL;
  CHECK(vc_core_create(&core, &config) == 0);
  vc_output *output = malloc(sizeof *output);
  vd_packet *packets = malloc(VC_PACKETS_IN_MAX * sizeof *packets);
  uint64_t frames = 0;
  uint32_t generation = 1;
  int insane = 0;
  for (int round = 0; round < 3000; round++) {
    float microphone[VC_BLOCK_FRAMES];
    for (int i = 0; i < VC_BLOCK_FRAMES; i++)
      microphone[i] = (float)checks_random() / 2147483648.0f - 1.0f;
    vc_input input = {.microphone = microphone, .packets = packets};
    input.packet_count = checks_random_below(8) == 0 ? checks_random_below(VC_PACKETS_IN_MAX) : 1;
    for (size_t i = 0; i < input.packet_count; i++) {
      packets[i].generation = generation + checks_random_below(3);
      packets[i].sequence =
          checks_random_below(30) == 0 ? checks_random() : (uint32_t)round + (uint32_t)i;
      packets[i].kind =
          (uint8_t)(checks_random_below(40) == 0 ? VD_PACKET_END : checks_random_below(5));
      packets[i].bytes = (uint16_t)checks_random_below(
          checks_random_below(9) == 0 ? 65536 : VD_PACKET_PAYLOAD_MAX + 1);
      for (size_t b = 0; b < VD_PACKET_PAYLOAD_MAX; b += 4) {
        const uint32_t noise = checks_random();
        memcpy(&packets[i].payload[b], &noise, sizeof noise);
      }
    }
    if (checks_random_below(100) == 0)
      generation += checks_random_below(4);
    input.flush_below = generation;
    input.muted = checks_random_below(50) == 0;
    input.releases = (uint32_t)round / 37;
    if (checks_random_below(40) == 0)
      frames = checks_random_below(3) == 0 ? checks_random() : frames + checks_random_below(50000);
    input.timing.capture_frames = frames;
    input.timing.epoch = (uint32_t)round / 500;
    input.timing.play_delay_frames =
        checks_random_below(20) == 0 ? checks_random() : checks_random_below(48000);
    input.timing.capture_delay_frames =
        checks_random_below(20) == 0 ? checks_random() : checks_random_below(1000);
    vc_core_step(core, &input, output);
    vc_heard heard;
    vc_core_hear(core, microphone, &heard);
    frames += VC_BLOCK_FRAMES;
    for (int i = 0; i < VC_BLOCK_FRAMES; i++)
      insane += !(fabsf(output->speaker[i]) < 16);
    insane += output->packet_count > VC_PACKETS_OUT_MAX || output->event_count > VC_EVENTS_MAX;
  }
  CHECK(insane == 0);
  vc_counters counters;
  vc_core_counters(core, &counters);
  CHECK(counters.blocks == 3000);
  CHECK(counters.capture_gaps > 10 && counters.refused_packets > 100);
  free(packets);
  free(output);
  vc_core_destroy(core);
}

CHECK_CASE(core_survives_anything_a_device_and_a_router_may_do) {
  survive(1);
}

CHECK_CASE(core_that_yields_survives_anything_a_device_and_a_router_may_do) {
  survive(0);
}
