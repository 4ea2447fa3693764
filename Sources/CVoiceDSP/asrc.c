#include "voice_asrc.h"

#include <math.h>
#include <string.h>

#define HALF (VD_ASRC_TAPS / 2)
/// Of the Kaiser window: images and ripple 90 dB down, flat to 19.6 kHz at 48 kHz.
static const double KAISER_BETA = 9.0;
/// How fast a position between two samples goes back to one once the ratio is 1: 2 ppm, not heard.
static const double SETTLING = 2e-6;
/// Nearer than this to a sample is on it; the error is 140 dB down.
static const double ON_SAMPLE = 1e-6;

// A vector of four exists on every processor that matters; the compilers know it by this name.
typedef float vector __attribute__((vector_size(16)));
enum { LANES = 4 };
_Static_assert(VD_ASRC_TAPS % LANES == 0, "whole vectors");

/// Modified Bessel function of the first kind, order 0.
static double bessel(double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static double windowed_sinc(double x) {
  const double inside = 1 - (x / HALF) * (x / HALF);
  if (inside <= 0) {
    return 0;
  }
  const double window = bessel(KAISER_BETA * sqrt(inside)) / bessel(KAISER_BETA);
  const double angle = 3.14159265358979323846 * x;
  return x == 0 ? window : window * sin(angle) / angle;
}

void vd_asrc_init(vd_asrc *asrc) {
  for (int phase = 0; phase <= VD_ASRC_PHASES; phase++) {
    const double fraction = (double)phase / VD_ASRC_PHASES;
    double taps[VD_ASRC_TAPS];
    double sum = 0;
    for (int tap = 0; tap < VD_ASRC_TAPS; tap++) {
      const int distance = tap - (HALF - 1);
      // Whole distances are exact, so that a position on a sample gives that sample.
      const int is_whole = phase == 0 || phase == VD_ASRC_PHASES;
      const int centre = phase == 0 ? 0 : 1;
      taps[tap] = is_whole ? distance == centre : windowed_sinc(distance - fraction);
      sum += taps[tap];
    }
    for (int tap = 0; tap < VD_ASRC_TAPS; tap++) {
      asrc->filter[phase][tap] = (float)(taps[tap] / sum);
    }
  }
  vd_asrc_reset(asrc);
}

void vd_asrc_reset(vd_asrc *asrc) VD_NONBLOCKING {
  memset(asrc->held, 0, sizeof asrc->held);
  // As if silence had passed: what comes now is given out HALF frames later.
  asrc->count = VD_ASRC_TAPS - 1;
  asrc->position = HALF - 1;
  asrc->step = 1;
}

static vector load(const float *from) VD_NONBLOCKING {
  vector loaded;
  memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

float vd_asrc_between(const vd_asrc *asrc, const float *in, double between) VD_NONBLOCKING {
  const double phase = between * VD_ASRC_PHASES;
  const int row = (int)phase;
  const float part = (float)(phase - row);
  const float *lower = asrc->filter[row];
  const float *upper = asrc->filter[row < VD_ASRC_PHASES ? row + 1 : row];
  vector sum = {0};
  for (int tap = 0; tap < VD_ASRC_TAPS; tap += LANES) {
    const vector low = load(lower + tap);
    sum += load(in + tap) * (low + part * (load(upper + tap) - low));
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The step that this call ends with: with ratio 1, one that ends on a sample.
static double wanted_step(vd_asrc *asrc, double ratio) VD_NONBLOCKING {
  if (ratio != 1) {
    return 1 / ratio;
  }
  const double off = asrc->position - floor(asrc->position);
  if (off < ON_SAMPLE || off > 1 - ON_SAMPLE) {
    asrc->position = round(asrc->position);
    asrc->step = 1;
    return 1;
  }
  const double distance = off < 0.5 ? -off : 1 - off;
  const double step = distance / VD_ASRC_FRAMES_MAX;
  return 1 + (step > SETTLING ? SETTLING : step < -SETTLING ? -SETTLING : step);
}

size_t vd_asrc_process(vd_asrc *asrc, const float *in, size_t count, double ratio,
                       float *out) VD_NONBLOCKING {
  if (count > VD_ASRC_FRAMES_MAX) {
    count = VD_ASRC_FRAMES_MAX;
  }
  memcpy(&asrc->held[asrc->count], in, count * sizeof *in);
  asrc->count += count;
  const double goal = wanted_step(asrc, ratio);
  // Frames with half a filter behind them can be given out.
  const double limit = (double)(asrc->count - HALF);
  size_t made = 0;
  size_t at = (size_t)asrc->position;
  if (goal == 1 && asrc->step == 1 && asrc->position == (double)at) {
    made = (size_t)limit - at;
    memcpy(out, &asrc->held[at], made * sizeof *out);
    asrc->position = limit;
  } else {
    const double change = (goal - asrc->step) / (double)(count > 0 ? count : 1);
    double step = asrc->step;
    for (size_t ramped = 0; asrc->position < limit; made++) {
      at = (size_t)asrc->position;
      const float *window = &asrc->held[at - (HALF - 1)];
      out[made] = vd_asrc_between(asrc, window, asrc->position - (double)at);
      step = ramped++ < count ? step + change : goal;
      asrc->position += step;
    }
    asrc->step = goal;
  }
  const size_t kept = VD_ASRC_TAPS;
  const size_t gone = asrc->count > kept ? asrc->count - kept : 0;
  memmove(asrc->held, &asrc->held[gone], (asrc->count - gone) * sizeof *asrc->held);
  asrc->count -= gone;
  asrc->position -= (double)gone;
  return made;
}

double vd_asrc_held_frames(const vd_asrc *asrc) VD_NONBLOCKING {
  return (double)asrc->count - asrc->position;
}
