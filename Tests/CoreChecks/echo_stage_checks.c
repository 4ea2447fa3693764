#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "echo/echo_rate.h"
#include "echo/echo_stage.h"
#include "failing_creation.h"

// Bursts of coloured noise stand for speech; the path is a delay and a few reflections.

enum { BLOCKS = 600, FRAMES = BLOCKS * VC_WIDE_BLOCK };

static float noise(void) {
  return (float)checks_random() / 4294967296.0f - 0.5f;
}

static float *talk(float level, int period) {
  float *samples = calloc(FRAMES, sizeof *samples);
  float low = 0;
  for (int i = 0; i < FRAMES; i++) {
    low += 0.2f * (noise() - low);
    samples[i] = level * low * (i / period % 4 != 3);
  }
  return samples;
}

static float echo_at(const float *sent, int i) {
  float sum = 0;
  static const int delays[] = {700, 1100, 2900};
  static const float gains[] = {0.5f, -0.25f, 0.1f};
  for (int d = 0; d < 3; d++)
    sum += i >= delays[d] ? gains[d] * sent[i - delays[d]] : 0;
  return sum;
}

static double power(const float *samples, int from, int to) {
  double sum = 0;
  for (int i = from; i < to; i++)
    sum += (double)samples[i] * samples[i];
  return sum / (to - from) + 1e-20;
}

/// Result: what the stage made of it; `state` receives what it thinks of itself.
static float *run(const float *sent, const float *microphone, uint8_t *state) {
  vc_echo_stage *stage = NULL;
  CHECK(vc_echo_stage_create(&stage) == 0);
  float *out = calloc(FRAMES, sizeof *out);
  for (int b = 0; b < BLOCKS; b++)
    vc_echo_stage_process(stage, sent + b * VC_WIDE_BLOCK, microphone + b * VC_WIDE_BLOCK,
                          out + b * VC_WIDE_BLOCK);
  *state = vc_echo_stage_state(stage);
  vc_echo_stage_destroy(stage);
  return out;
}

CHECK_CASE(echo_stage_takes_away_the_echo_from_the_first_block_on) {
  float *sent = talk(1.0f, 7000), *heard = calloc(FRAMES, sizeof *heard);
  for (int i = 0; i < FRAMES; i++)
    heard[i] = echo_at(sent, i) + 0.0001f * noise();
  uint8_t state = 0;
  float *out = run(sent, heard, &state);
  CHECK(state == VC_ECHO_CANCELS);
  CHECK(power(out, 0, FRAMES / 4) < power(heard, 0, FRAMES / 4) / 1000);
  CHECK(power(out, FRAMES / 2, FRAMES) < power(heard, FRAMES / 2, FRAMES) / 10000);
  free(sent);
  free(heard);
  free(out);
}

CHECK_CASE(echo_stage_leaves_a_person_alone_while_the_agent_is_silent) {
  float *sent = calloc(FRAMES, sizeof *sent), *heard = talk(0.5f, 9000);
  uint8_t state = 0;
  float *out = run(sent, heard, &state);
  size_t late = vc_echo_stage_latency_frames();
  double worst = 0;
  vc_decimator down;
  vc_interpolator up;
  vc_decimator_prepare(&down);
  vc_interpolator_prepare(&up);
  for (int b = 0; b < BLOCKS - 1; b++) {
    float narrow[VC_ECHO_BLOCK], band[VC_WIDE_BLOCK];
    vc_decimator_process(&down, heard + b * VC_WIDE_BLOCK, narrow);
    vc_interpolator_process(&up, narrow, band);
    for (size_t i = 0; i < VC_WIDE_BLOCK; i++)
      worst = fmax(worst, fabs(band[i] -
                               out[(size_t)b * VC_WIDE_BLOCK + i + late - VC_RATE_LATENCY_FRAMES]));
  }
  CHECK(worst < 1e-4);
  CHECK(state == VC_ECHO_LEARNING);
  free(sent);
  free(heard);
  free(out);
}

CHECK_CASE(echo_stage_lets_a_person_through_who_speaks_over_the_agent) {
  float *sent = talk(1.0f, 7000), *person = talk(0.5f, 9000);
  float *heard = calloc(FRAMES, sizeof *heard);
  for (int i = 0; i < FRAMES; i++) {
    person[i] *= i > FRAMES / 2;
    heard[i] = echo_at(sent, i) + person[i] + 0.0001f * noise();
  }
  uint8_t state = 0;
  float *out = run(sent, heard, &state);
  CHECK(state == VC_ECHO_CANCELS);
  double kept = power(out, FRAMES / 2, FRAMES) / power(person, FRAMES / 2, FRAMES);
  CHECK(kept > 0.5 && kept < 1.5);
  free(sent);
  free(person);
  free(heard);
  free(out);
}

CHECK_CASE(echo_stage_says_when_it_cannot_cancel) {
  // What is heard has nothing to do with what was sent.
  float *sent = talk(1.0f, 7000), *heard = talk(0.5f, 20000);
  vc_echo_stage *stage = NULL;
  CHECK(vc_echo_stage_create(&stage) == 0);
  double passed = 0, came = 0;
  for (int round = 0; round < 2; round++)
    for (int b = 0; b < BLOCKS; b++) {
      float out[VC_WIDE_BLOCK];
      const float *block = heard + b * VC_WIDE_BLOCK;
      vc_echo_stage_process(stage, sent + b * VC_WIDE_BLOCK, block, out);
      bool speaks = b > 0 && power(sent + (b - 1) * VC_WIDE_BLOCK, 0, 2 * VC_WIDE_BLOCK) > 1e-4;
      passed += speaks ? power(out, 0, VC_WIDE_BLOCK) : 0;
      came += speaks ? power(block, 0, VC_WIDE_BLOCK) : 0;
    }
  CHECK(vc_echo_stage_state(stage) == VC_ECHO_GAVE_UP);
  // Beside noise in place of the noise, which these bursts are taken for in part.
  CHECK(passed < 0.5 * came);
  vc_echo_stage_restart(stage);
  CHECK(vc_echo_stage_state(stage) == VC_ECHO_LEARNING);
  vc_echo_stage_destroy(stage);
  free(sent);
  free(heard);
}

static int create_stage(void *context) {
  (void)context;
  vc_echo_stage *stage = NULL;
  int result = vc_echo_stage_create(&stage);
  if (result == 0)
    vc_echo_stage_destroy(stage);
  return result;
}

CHECK_CASE(echo_stage_creation_survives_want_of_memory) {
  checks_fail_each_allocation("vc_echo_stage_create", create_stage, NULL);
}
