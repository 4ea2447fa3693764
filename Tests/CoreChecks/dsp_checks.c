#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "failing_creation.h"
#include "silero_file.h"
#include "voice_codec.h"
#include "voice_level.h"
#include "voice_resample.h"
#include "voice_ring.h"
#include "voice_vad.h"

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

static int load_weights(void *path) {
  vd_vad_weights *weights = NULL;
  char error[512] = "";
  const int result = vd_vad_weights_load(&weights, path, error, sizeof error);
  CHECK((result == 0) == (error[0] == 0) && (result == 0) == (weights != NULL));
  vd_vad_weights_release(weights);
  return result;
}

static int create_vad(void *weights) {
  vd_vad *vad = NULL;
  const int result = vd_vad_create(&vad, weights);
  CHECK(result == 0 || vad == NULL);
  vd_vad_destroy(vad);
  return result;
}

CHECK_CASE(detector_without_memory_fails_cleanly_at_every_allocation) {
  silero_file file = silero_file_make();
  CHECK(checks_fail_each_allocation("vd_vad_weights_load", load_weights, file.path) > 10);
  vd_vad_weights *weights = NULL;
  CHECK(vd_vad_weights_load(&weights, file.path, NULL, 0) == 0);
  (void)checks_fail_each_allocation("vd_vad_create", create_vad, weights);
  (void)checks_fail_each_allocation("vd_vad_create", create_vad, NULL);
  vd_vad_weights_release(weights);
  silero_file_remove(&file);
}

static int create_encoder(void *unused) {
  (void)unused;
  vd_encoder *encoder = NULL;
  const int result = vd_encoder_create(&encoder, 24000, 10);
  CHECK(result == 0 || encoder == NULL);
  vd_encoder_destroy(encoder);
  return result;
}

static int create_decoder(void *unused) {
  (void)unused;
  vd_decoder *decoder = NULL;
  const int result = vd_decoder_create(&decoder, 48000);
  CHECK(result == 0 || decoder == NULL);
  vd_decoder_destroy(decoder);
  return result;
}

static int create_resampler(void *unused) {
  (void)unused;
  vd_resampler *resampler = NULL;
  const int result = vd_resampler_create(&resampler, 48000, 16000);
  CHECK(result == 0 || resampler == NULL);
  vd_resampler_destroy(resampler);
  return result;
}

CHECK_CASE(codec_and_resampler_without_memory_fail_cleanly_at_every_allocation) {
  (void)checks_fail_each_allocation("vd_encoder_create", create_encoder, NULL);
  (void)checks_fail_each_allocation("vd_decoder_create", create_decoder, NULL);
  (void)checks_fail_each_allocation("vd_resampler_create", create_resampler, NULL);
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
