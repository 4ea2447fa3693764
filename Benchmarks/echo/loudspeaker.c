#include "loudspeaker.h"

#include <math.h>
#include <stdlib.h>

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double peak(const double *samples, size_t count) {
  double *sorted = malloc(count * sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = fabs(samples[i]);
  qsort(sorted, count, sizeof *sorted, rising);
  double value = sorted[count - 1 - count / 1000];
  free(sorted);
  return value;
}

/// A second-order high-pass with a resonance of 6 dB at 220 Hz.
static void resonate(double *samples, size_t count) {
  double w = 2 * M_PI * 220 / 16000, alpha = sin(w) / (2 * 2.0), c = cos(w), a0 = 1 + alpha;
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (size_t i = 0; i < count; i++) {
    double x = samples[i];
    double y = ((1 + c) / 2 * (x - 2 * x1 + x2) + 2 * c * y1 - (1 - alpha) * y2) / a0;
    x2 = x1, x1 = x, y2 = y1, y1 = y;
    samples[i] = y;
  }
}

void loudspeaker_play(enum loudspeaker kind, double *samples, size_t count) {
  if (kind == LOUDSPEAKER_CLEAN)
    return;
  if (kind == LOUDSPEAKER_SMALL)
    resonate(samples, count);
  double top = peak(samples, count);
  for (size_t i = 0; i < count; i++) {
    double x = samples[i] / top;
    switch (kind) {
    case LOUDSPEAKER_SOFT:
      x = tanh(1.2 * x) / 1.2;
      break;
    case LOUDSPEAKER_CLIPS:
      x = x > 0.35 ? 0.35 : x < -0.35 ? -0.35 : x;
      x += 0.15 * x * x;
      break;
    case LOUDSPEAKER_SMALL:
      x = x > 0 ? tanh(1.6 * x) / 1.6 : tanh(1.1 * x) / 1.1;
      break;
    case LOUDSPEAKER_CLEAN:
      break;
    }
    samples[i] = x * top;
  }
}
