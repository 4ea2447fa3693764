#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "echo/linear_canceller.h"
#include "failing_creation.h"

// Bursts of coloured noise at 16 kHz stand for speech; the path is a delay and two reflections.

enum { SECONDS = 8, COUNT = SECONDS * 16000 };

static float noise(void) {
  return (float)checks_random() / 4294967296.0f - 0.5f;
}

static float *talk(float level, int period) {
  float *samples = calloc(COUNT, sizeof *samples);
  float low = 0;
  for (int i = 0; i < COUNT; i++) {
    low += 0.5f * (noise() - low);
    samples[i] = level * low * (i / period % 4 != 3);
  }
  return samples;
}

static float path(const float *loud, int i) {
  return (i >= 230 ? 0.5f * loud[i - 230] : 0) - (i >= 370 ? 0.25f * loud[i - 370] : 0) +
         (i >= 960 ? 0.1f * loud[i - 960] : 0);
}

/// Decibels by which the echo becomes less between two seconds.
static double enhancement(const float *sent, const float *microphone, double from, double to) {
  vc_linear *linear = NULL;
  CHECK(vc_linear_create(&linear) == 0);
  double heard = 0, left = 0;
  for (int at = 0; at + VC_ECHO_BLOCK <= COUNT; at += VC_ECHO_BLOCK) {
    float out[VC_ECHO_BLOCK], estimate[VC_ECHO_BLOCK];
    vc_linear_process(linear, sent + at, microphone + at, out, estimate);
    for (int i = 0; i < VC_ECHO_BLOCK && at >= from * 16000 && at < to * 16000; i++) {
      heard += (double)microphone[at + i] * microphone[at + i];
      left += (double)out[i] * out[i];
    }
  }
  vc_linear_destroy(linear);
  return 10 * log10((heard + 1e-20) / (left + 1e-20));
}

CHECK_CASE(linear_canceller_learns_a_loudspeaker_that_clips) {
  float *sent = talk(0.8f, 2300), *loud = calloc(COUNT, sizeof *loud);
  float *heard = calloc(COUNT, sizeof *heard);
  for (int i = 0; i < COUNT; i++)
    loud[i] = fmaxf(fminf(sent[i], 0.1f), -0.1f);
  for (int i = 0; i < COUNT; i++)
    heard[i] = path(loud, i) + 0.0001f * noise();
  double reached = enhancement(sent, heard, 5, 8);
  printf("    clipping: %.1f dB\n", reached);
  CHECK(reached > 24);
  free(sent);
  free(loud);
  free(heard);
}

CHECK_CASE(linear_canceller_follows_a_volume_that_is_turned_up) {
  float *sent = talk(0.2f, 2300), *heard = calloc(COUNT, sizeof *heard);
  for (int i = 0; i < COUNT; i++)
    heard[i] = (i < 4 * 16000 ? 0.178f : 1) * path(sent, i) + 0.00001f * noise();
  double reached = enhancement(sent, heard, 4.3, 5);
  printf("    15 dB louder, after 0.3 s: %.1f dB\n", reached);
  CHECK(reached > 15);
  free(sent);
  free(heard);
}

static int create_linear(void *context) {
  (void)context;
  vc_linear *linear = NULL;
  int result = vc_linear_create(&linear);
  if (result == 0)
    vc_linear_destroy(linear);
  return result;
}

CHECK_CASE(linear_canceller_creation_survives_want_of_memory) {
  checks_fail_each_allocation("vc_linear_create", create_linear, NULL);
}
