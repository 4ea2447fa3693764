#ifndef ECHO_DICE_H
#define ECHO_DICE_H

#include <stdint.h>

/// Seeded chance; the same seed gives the same throws everywhere.
typedef struct {
  uint64_t state;
} dice;

/// Uniform in 0..1.
double dice_uniform(dice *dice);
/// Normal, mean 0, deviation 1.
double dice_normal(dice *dice);

#endif
