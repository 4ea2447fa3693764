#include "echo_rate.h"

#include <math.h>
#include <string.h>

#define PHASES 3
#define DECIMATOR_PAST (VC_RATE_TAPS - PHASES)
#define INTERPOLATOR_PAST (VC_RATE_TAPS / PHASES - 1)
/// Edge of the filters, hertz.
#define EDGE_HZ 7700.0
/// Of the Kaiser window: 60 dB.
#define KAISER_BETA 5.65

static double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 30; k++) {
    term *= x / 2 / k;
    sum += term * term;
  }
  return sum;
}

static void design(float *taps) {
  double raw[VC_RATE_TAPS], sum = 0;
  for (int i = 0; i < VC_RATE_TAPS; i++) {
    double t = i - (VC_RATE_TAPS - 1) / 2.0, r = 2 * t / (VC_RATE_TAPS - 1);
    double angle = 2 * M_PI * EDGE_HZ / 48000 * t;
    raw[i] = sin(angle) / angle * bessel(KAISER_BETA * sqrt(1 - r * r));
    sum += raw[i];
  }
  for (int i = 0; i < VC_RATE_TAPS; i++)
    taps[i] = (float)(raw[i] / sum);
}

void vc_decimator_prepare(vc_decimator *decimator) {
  *decimator = (vc_decimator){0};
  design(decimator->taps);
}

void vc_decimator_process(vc_decimator *decimator, const float *wide,
                          float *narrow) VD_NONBLOCKING {
  memcpy(decimator->past + DECIMATOR_PAST, wide, VC_WIDE_BLOCK * sizeof *wide);
  for (int n = 0; n < VC_ECHO_BLOCK; n++) {
    // Four sums, so that the compiler may use vectors without reordering a sum of floats.
    const float *in = decimator->past + PHASES * n;
    float sum[4] = {0};
    for (int i = 0; i < VC_RATE_TAPS; i += 4)
      for (int k = 0; k < 4; k++)
        sum[k] += decimator->taps[i + k] * in[i + k];
    narrow[n] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  memmove(decimator->past, decimator->past + VC_WIDE_BLOCK, DECIMATOR_PAST * sizeof *wide);
}

void vc_interpolator_prepare(vc_interpolator *interpolator) {
  *interpolator = (vc_interpolator){0};
  float taps[VC_RATE_TAPS];
  design(taps);
  // Output 3n + p weighs input n - j by tap 3j + p; stored so that both run upwards.
  for (int p = 0; p < PHASES; p++)
    for (int j = 0; j < VC_RATE_TAPS / PHASES; j++)
      interpolator->phases[p][VC_RATE_TAPS / PHASES - 1 - j] = PHASES * taps[PHASES * j + p];
}

void vc_interpolator_process(vc_interpolator *interpolator, const float *narrow,
                             float *wide) VD_NONBLOCKING {
  memcpy(interpolator->past + INTERPOLATOR_PAST, narrow, VC_ECHO_BLOCK * sizeof *narrow);
  for (int n = 0; n < VC_ECHO_BLOCK; n++)
    for (int p = 0; p < PHASES; p++) {
      const float *in = interpolator->past + n, *taps = interpolator->phases[p];
      float sum[4] = {0};
      for (int i = 0; i < VC_RATE_TAPS / PHASES; i += 4)
        for (int k = 0; k < 4; k++)
          sum[k] += taps[i + k] * in[i + k];
      wide[PHASES * n + p] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  memmove(interpolator->past, interpolator->past + VC_ECHO_BLOCK,
          INTERPOLATOR_PAST * sizeof *narrow);
}
