#include "estoi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "transform.h"

#define FRAME 256
#define HOP 128
#define SIZE 512
#define BANDS 15
#define SEGMENT 30
#define RATE 10000.0
#define RANGE_DB 40.0

/// From 16 kHz to 10 kHz by a windowed sinc with its edge below 5 kHz.
static size_t resample(const float *in, size_t count, double *out) {
  const double cutoff = 0.95 * 10.0 / 16.0;
  const long reach = 48;
  size_t made = count * 5 / 8;
  for (size_t n = 0; n < made; n++) {
    double t = (double)n * 1.6, sum = 0;
    long whole = (long)t;
    for (long i = whole - reach + 1; i <= whole + reach; i++) {
      if (i < 0 || i >= (long)count)
        continue;
      double x = (double)i - t;
      double sinc = fabs(x) < 1e-9 ? cutoff : sin(M_PI * x * cutoff) / (M_PI * x);
      sum += in[i] * sinc * pow(cos(M_PI * x / (2 * reach + 2)), 2);
    }
    out[n] = sum;
  }
  return made;
}

static double hann(size_t i) {
  return 0.5 - 0.5 * cos(2 * M_PI * (double)(i + 1) / (FRAME + 1));
}

/// Leaves out the frames in which the clean signal is more than 40 dB below its loudest. Both
/// signals are put together again by overlapping. Result: samples left.
static size_t drop_silence(double *clean, double *heard, size_t count) {
  size_t frames = count < FRAME ? 0 : (count - FRAME) / HOP + 1, kept = 0;
  double *power = calloc(frames + 1, sizeof *power), top = -1e9;
  double *out = calloc(2 * count, sizeof *out);
  for (size_t f = 0; f < frames; f++) {
    double sum = 0;
    for (size_t i = 0; i < FRAME; i++)
      sum += pow(clean[f * HOP + i] * hann(i), 2);
    power[f] = 10 * log10(sum + 1e-20);
    top = fmax(top, power[f]);
  }
  for (size_t f = 0; f < frames; f++) {
    if (power[f] < top - RANGE_DB)
      continue;
    for (size_t i = 0; i < FRAME; i++) {
      out[kept * HOP + i] += clean[f * HOP + i] * hann(i);
      out[count + kept * HOP + i] += heard[f * HOP + i] * hann(i);
    }
    kept++;
  }
  memcpy(clean, out, count * sizeof *clean);
  memcpy(heard, out + count, count * sizeof *heard);
  free(out);
  free(power);
  return kept ? (kept - 1) * HOP + FRAME : 0;
}

/// Magnitudes in third-octave bands from 150 Hz, one row a frame.
static size_t bands_of(const double *signal, size_t count, double (*out)[BANDS]) {
  size_t frames = count < FRAME ? 0 : (count - FRAME) / HOP + 1;
  size_t low[BANDS], high[BANDS];
  for (int b = 0; b < BANDS; b++) {
    double centre = 150 * pow(2, b / 3.0);
    low[b] = (size_t)lrint(centre / pow(2, 1 / 6.0) * SIZE / RATE);
    high[b] = (size_t)lrint(centre * pow(2, 1 / 6.0) * SIZE / RATE);
  }
  for (size_t f = 0; f < frames; f++) {
    double real[SIZE] = {0}, imaginary[SIZE] = {0};
    for (size_t i = 0; i < FRAME; i++)
      real[i] = signal[f * HOP + i] * hann(i);
    transform(real, imaginary, SIZE, 0);
    for (int b = 0; b < BANDS; b++) {
      double sum = 0;
      for (size_t k = low[b]; k < high[b]; k++)
        sum += real[k] * real[k] + imaginary[k] * imaginary[k];
      out[f][b] = sqrt(sum);
    }
  }
  return frames;
}

/// Rows, then columns, to mean 0 and length 1.
static void normalise(double segment[SEGMENT][BANDS]) {
  for (int b = 0; b < BANDS; b++) {
    double mean = 0, square = 0;
    for (int n = 0; n < SEGMENT; n++)
      mean += segment[n][b] / SEGMENT;
    for (int n = 0; n < SEGMENT; n++)
      segment[n][b] -= mean, square += segment[n][b] * segment[n][b];
    for (int n = 0; n < SEGMENT; n++)
      segment[n][b] /= sqrt(square) + 1e-12;
  }
  for (int n = 0; n < SEGMENT; n++) {
    double mean = 0, square = 0;
    for (int b = 0; b < BANDS; b++)
      mean += segment[n][b] / BANDS;
    for (int b = 0; b < BANDS; b++)
      segment[n][b] -= mean, square += segment[n][b] * segment[n][b];
    for (int b = 0; b < BANDS; b++)
      segment[n][b] /= sqrt(square) + 1e-12;
  }
}

double estoi(const float *clean, const float *heard, size_t count) {
  double *x = calloc(2 * count, sizeof *x), *y = x + count;
  size_t narrow = resample(clean, count, x);
  resample(heard, count, y);
  narrow = drop_silence(x, y, narrow);
  size_t room = count / HOP + 1;
  double(*bx)[BANDS] = calloc(2 * room, sizeof *bx), (*by)[BANDS] = bx + room;
  size_t frames = bands_of(x, narrow, bx);
  bands_of(y, narrow, by);
  double sum = 0;
  size_t segments = frames < SEGMENT ? 0 : frames - SEGMENT + 1;
  for (size_t s = 0; s < segments; s++) {
    double a[SEGMENT][BANDS], b[SEGMENT][BANDS];
    memcpy(a, bx + s, sizeof a);
    memcpy(b, by + s, sizeof b);
    normalise(a);
    normalise(b);
    for (int n = 0; n < SEGMENT; n++)
      for (int k = 0; k < BANDS; k++)
        sum += a[n][k] * b[n][k] / SEGMENT;
  }
  free(bx);
  free(x);
  return segments ? sum / (double)segments : 0;
}
