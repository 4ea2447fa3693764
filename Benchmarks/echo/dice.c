#include "dice.h"

#include <math.h>

double dice_uniform(dice *dice) {
  uint64_t z = dice->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

double dice_normal(dice *dice) {
  double radius = sqrt(-2 * log(1 - dice_uniform(dice)));
  return radius * cos(2 * M_PI * dice_uniform(dice));
}
