#ifndef ECHO_TRANSFORM_H
#define ECHO_TRANSFORM_H

#include <stddef.h>

/// Fourier transform in place, double precision, so that a scene is the same on every machine.
/// - count: a power of two.
void transform(double *real, double *imaginary, size_t count, int inverse);
/// `out[n] += sum of signal[n - k] * filter[k]`, for n below `count`.
void convolve(const double *signal, size_t count, const double *filter, size_t taps, double *out);

#endif
