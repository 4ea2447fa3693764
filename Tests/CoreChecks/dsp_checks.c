#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "silero_file.h"
#include "voice_codec.h"
#include "voice_level.h"
#include "voice_resample.h"
#include "voice_ring.h"
#include "voice_vad.h"

enum { RING_TOTAL = 200000 };

static void *produce(void *argument) {
  vd_ring *ring = argument;
  uint32_t next = 0;
  while (next < RING_TOTAL) {
    uint32_t values[7];
    const uint32_t wanted = 1 + next % 7;
    const uint32_t count = wanted < RING_TOTAL - next ? wanted : RING_TOTAL - next;
    for (uint32_t i = 0; i < count; i++) {
      values[i] = next + i;
    }
    next += (uint32_t)vd_ring_push(ring, values, count);
  }
  return NULL;
}

CHECK_CASE(ring_hands_every_element_over_in_order) {
  vd_ring *ring = NULL;
  CHECK(vd_ring_create(&ring, sizeof(uint32_t), 64) == 0);
  pthread_t producer;
  CHECK(pthread_create(&producer, NULL, produce, ring) == 0);
  uint32_t expected = 0;
  int breaks = 0;
  while (expected < RING_TOTAL) {
    uint32_t values[11];
    const size_t count = vd_ring_pop(ring, values, 11);
    for (size_t i = 0; i < count; i++) {
      breaks += values[i] != expected + i;
    }
    expected += (uint32_t)count;
  }
  CHECK(pthread_join(producer, NULL) == 0);
  CHECK(breaks == 0);
  CHECK(vd_ring_fill(ring) == 0);
  vd_ring_destroy(ring);
}

/// What an audio thread does in 20 ms, where nothing may block.
static int realtime_round(vd_encoder *encoder, vd_decoder *decoder, vd_resampler *resampler,
                          vd_vad *vad, vd_ring *ring, vd_level *level, int lose,
                          const float *frame) VD_NONBLOCKING {
  uint8_t payload[VD_PACKET_PAYLOAD_MAX];
  const int bytes = vd_encoder_encode(encoder, frame, payload, sizeof payload);
  if (bytes <= 0) {
    return bytes;
  }
  float heard[VD_FRAME_SAMPLES];
  const int samples =
      vd_decoder_decode(decoder, lose ? NULL : payload, (size_t)bytes, 0, heard, VD_FRAME_SAMPLES);
  float narrow[VD_FRAME_SAMPLES];
  size_t used = 0;
  const long made =
      vd_resampler_process(resampler, heard, VD_FRAME_SAMPLES, &used, narrow, VD_FRAME_SAMPLES);
  if (samples != VD_FRAME_SAMPLES || made < 0) {
    return -EIO;
  }
  (void)vd_level_update(level, narrow, (size_t)made, 0.02f);
  (void)vd_ring_push(ring, narrow, (size_t)made);
  float window[VD_VAD_WINDOW_SAMPLES];
  if (vd_ring_fill(ring) >= VD_VAD_WINDOW_SAMPLES) {
    (void)vd_ring_pop(ring, window, VD_VAD_WINDOW_SAMPLES);
    const float probability = vd_vad_process(vad, window);
    return probability >= 0 && probability <= 1 ? 0 : -EDOM;
  }
  return 0;
}

static void run_rounds(const vd_vad_weights *weights) {
  vd_encoder *encoder = NULL;
  vd_decoder *decoder = NULL;
  vd_resampler *resampler = NULL;
  vd_vad *vad = NULL;
  vd_ring *ring = NULL;
  CHECK(vd_encoder_create(&encoder, 24000, 10) == 0);
  CHECK(vd_decoder_create(&decoder, 48000) == 0);
  CHECK(vd_resampler_create(&resampler, 48000, 16000) == 0);
  CHECK(vd_vad_create(&vad, weights) == 0);
  CHECK(vd_ring_create(&ring, sizeof(float), 2048) == 0);
  vd_level level = {0};
  int failures = 0;
  for (int round = 0; round < 100; round++) {
    float frame[VD_FRAME_SAMPLES];
    for (int i = 0; i < VD_FRAME_SAMPLES; i++) {
      const float noise = (float)checks_random() / 4294967296.0f - 0.5f;
      frame[i] = 0.3f * sinf(0.03f * (float)(round * VD_FRAME_SAMPLES + i)) + 0.1f * noise;
    }
    failures +=
        realtime_round(encoder, decoder, resampler, vad, ring, &level, round % 7 == 3, frame) != 0;
  }
  CHECK(failures == 0);
  vd_ring_destroy(ring);
  vd_vad_destroy(vad);
  vd_resampler_destroy(resampler);
  vd_decoder_destroy(decoder);
  vd_encoder_destroy(encoder);
}

CHECK_CASE(codec_resampler_level_and_energy_detector_never_block) {
  run_rounds(NULL);
}

CHECK_CASE(network_never_blocks) {
  silero_file file = silero_file_make();
  vd_vad_weights *weights = NULL;
  char error[512] = "";
  CHECK(vd_vad_weights_load(&weights, file.path, error, sizeof error) == 0);
  CHECK(error[0] == 0);
  run_rounds(weights);
  vd_vad_weights_release(weights);
  silero_file_remove(&file);
}

CHECK_CASE(damaged_weights_never_crash) {
  silero_file file = silero_file_make();
  int refused = 0;
  for (int round = 0; round < 300; round++) {
    silero_file_damage(&file, 1 + checks_random_below(8));
    vd_vad_weights *weights = NULL;
    char error[64];
    refused += vd_vad_weights_load(&weights, file.path, error, sizeof error) != 0;
    vd_vad_weights_release(weights);
    silero_file_restore(&file);
  }
  CHECK(refused > 20);
  silero_file_remove(&file);
}

CHECK_CASE(weights_without_memory_fail_cleanly) {
  silero_file file = silero_file_make();
  int result = -ENOMEM;
  size_t failing = 0;
  while (result == -ENOMEM && failing < 100) {
    failing += 1;
    vd_vad_weights *weights = NULL;
    checks_fail_allocation(failing);
    result = vd_vad_weights_load(&weights, file.path, NULL, 0);
    vd_vad_weights_release(weights);
  }
  CHECK(result == 0);
  CHECK(failing > 10);
  silero_file_remove(&file);
}

CHECK_CASE(garbage_packets_never_crash_the_decoder) {
  vd_decoder *decoder = NULL;
  CHECK(vd_decoder_create(&decoder, 16000) == 0);
  int strange = 0;
  for (int round = 0; round < 20000; round++) {
    uint8_t payload[VD_PACKET_PAYLOAD_MAX];
    const size_t bytes = 1 + checks_random_below(round % 50 == 0 ? sizeof payload : 100);
    for (size_t i = 0; i < bytes; i++) {
      payload[i] = (uint8_t)checks_random();
    }
    float out[320];
    const int result = vd_decoder_decode(decoder, payload, bytes, round % 3 == 0, out, 320);
    strange += result != 320 && result != -EBADMSG;
  }
  CHECK(strange == 0);
  vd_decoder_destroy(decoder);
}
