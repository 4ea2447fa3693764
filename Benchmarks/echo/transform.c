#include "transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void transform(double *real, double *imaginary, size_t count, int inverse) {
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double r = real[i], m = imaginary[i];
      real[i] = real[j], imaginary[i] = imaginary[j];
      real[j] = r, imaginary[j] = m;
    }
  }
  for (size_t half = 1; half < count; half *= 2) {
    double angle = (inverse ? M_PI : -M_PI) / (double)half;
    for (size_t k = 0; k < half; k++) {
      double c = cos(angle * (double)k), s = sin(angle * (double)k);
      for (size_t i = k; i < count; i += 2 * half) {
        size_t j = i + half;
        double r = real[j] * c - imaginary[j] * s, m = real[j] * s + imaginary[j] * c;
        real[j] = real[i] - r, imaginary[j] = imaginary[i] - m;
        real[i] += r, imaginary[i] += m;
      }
    }
  }
  if (inverse)
    for (size_t i = 0; i < count; i++)
      real[i] /= (double)count, imaginary[i] /= (double)count;
}

void convolve(const double *signal, size_t count, const double *filter, size_t taps, double *out) {
  size_t size = 1;
  while (size < 4 * taps || size < 4096)
    size *= 2;
  size_t step = size - taps + 1;
  double *work = calloc(4 * size, sizeof *work);
  double *fr = work, *fi = work + size, *sr = work + 2 * size, *si = work + 3 * size;
  memcpy(fr, filter, taps * sizeof *filter);
  transform(fr, fi, size, 0);
  for (size_t start = 0; start < count; start += step) {
    size_t length = count - start < step ? count - start : step;
    memset(sr, 0, size * sizeof *sr);
    memset(si, 0, size * sizeof *si);
    memcpy(sr, signal + start, length * sizeof *sr);
    transform(sr, si, size, 0);
    for (size_t k = 0; k < size; k++) {
      double r = sr[k] * fr[k] - si[k] * fi[k];
      si[k] = sr[k] * fi[k] + si[k] * fr[k];
      sr[k] = r;
    }
    transform(sr, si, size, 1);
    for (size_t i = 0; i < size && start + i < count; i++)
      out[start + i] += sr[i];
  }
  free(work);
}
