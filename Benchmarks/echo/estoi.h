#ifndef ECHO_ESTOI_H
#define ECHO_ESTOI_H

#include <stddef.h>

/// Extended short-time objective intelligibility (Jensen and Taal 2016) of `heard` against `clean`,
/// both at 16 kHz; 0..1.
double estoi(const float *clean, const float *heard, size_t count);

#endif
