#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "echo/bulk_delay.h"
#include "echo/echo_rate.h"
#include "echo/echo_transform.h"
#include "failing_creation.h"

static float noise(void) {
  return (float)checks_random() / 4294967296.0f - 0.5f;
}

CHECK_CASE(echo_transform_gives_back_what_it_took) {
  vc_transform transform;
  vc_transform_prepare(&transform);
  float samples[VC_TRANSFORM_SIZE], back[VC_TRANSFORM_SIZE];
  for (size_t i = 0; i < VC_TRANSFORM_SIZE; i++)
    samples[i] = noise();
  vc_spectrum spectrum;
  vc_transform_forward(&transform, samples, &spectrum);
  vc_transform_inverse(&transform, &spectrum, back);
  float worst = 0, sum = 0;
  for (size_t i = 0; i < VC_TRANSFORM_SIZE; i++) {
    worst = fmaxf(worst, fabsf(back[i] - samples[i]));
    sum += samples[i];
  }
  CHECK(worst < 1e-6f);
  CHECK(fabsf(spectrum.re[0] - sum) < 1e-4f);
}

CHECK_CASE(echo_rates_keep_a_tone_and_its_time) {
  vc_decimator down;
  vc_interpolator up;
  vc_decimator_prepare(&down);
  vc_interpolator_prepare(&up);
  double worst = 0;
  for (int block = 0; block < 20; block++) {
    float wide[VC_WIDE_BLOCK], narrow[VC_ECHO_BLOCK], back[VC_WIDE_BLOCK];
    for (int i = 0; i < VC_WIDE_BLOCK; i++)
      wide[i] = sinf(2 * (float)M_PI * 3000 * (float)(block * VC_WIDE_BLOCK + i) / 48000);
    vc_decimator_process(&down, wide, narrow);
    vc_interpolator_process(&up, narrow, back);
    for (int i = 0; block > 2 && i < VC_WIDE_BLOCK; i++) {
      int at = block * VC_WIDE_BLOCK + i - VC_RATE_LATENCY_FRAMES;
      worst = fmax(worst, fabs(back[i] - sin(2 * M_PI * 3000 * at / 48000.0)));
    }
  }
  CHECK(worst < 0.01);
}

enum { SECONDS = 4, FRAMES = SECONDS * 48000 };

/// Bursts of noise for the agent; the microphone has a person of the same kind, and perhaps an
/// echo.
static bool finds(int delay_frames, float echo, uint32_t *found) {
  float *sent = calloc(FRAMES, sizeof *sent), *heard = calloc(FRAMES, sizeof *heard);
  for (int i = 0; i < FRAMES; i++) {
    sent[i] = noise() * (i / 9600 % 3 ? 0.3f : 0);
    heard[i] = noise() * (i / 12000 % 3 ? 0.1f : 0.001f);
    if (i >= delay_frames)
      heard[i] += echo * sent[i - delay_frames];
  }
  vc_bulk_delay *delay = NULL;
  CHECK(vc_bulk_delay_create(&delay) == 0);
  for (int i = 0; i + VC_WIDE_BLOCK <= FRAMES; i += VC_WIDE_BLOCK)
    vc_bulk_delay_push(delay, sent + i, heard + i);
  bool is_found = vc_bulk_delay_read(delay, found);
  vc_bulk_delay_reset(delay);
  uint32_t unused;
  CHECK(!vc_bulk_delay_read(delay, &unused));
  vc_bulk_delay_destroy(delay);
  free(sent);
  free(heard);
  return is_found;
}

CHECK_CASE(bulk_delay_finds_the_echo_beneath_a_person) {
  static const int delays[] = {0, 480, 9000, 24000, 40000};
  for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
    uint32_t found = 0;
    CHECK(finds(delays[i], 0.2f, &found));
    CHECK(abs((int)found - delays[i]) <= 48);
  }
}

CHECK_CASE(bulk_delay_claims_nothing_without_an_echo) {
  uint32_t found;
  CHECK(!finds(0, 0, &found));
}

static int create_bulk_delay(void *context) {
  (void)context;
  vc_bulk_delay *delay = NULL;
  int result = vc_bulk_delay_create(&delay);
  if (result == 0)
    vc_bulk_delay_destroy(delay);
  return result;
}

CHECK_CASE(bulk_delay_creation_survives_want_of_memory) {
  checks_fail_each_allocation("vc_bulk_delay_create", create_bulk_delay, NULL);
}
