#include "room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE 16000.0
#define SOUND_M_PER_S 343.0
#define EARLY_TAPS 960

/// Puts an impulse between samples: 16 taps of a windowed sinc, so that distances count.
static void put(double *response, size_t taps, double at, double gain) {
  long whole = (long)floor(at);
  for (long i = whole - 7; i <= whole + 8; i++) {
    if (i < 0 || i >= (long)taps)
      continue;
    double x = (double)i - at;
    double sinc = fabs(x) < 1e-9 ? 1 : sin(M_PI * x) / (M_PI * x);
    response[i] += gain * sinc * pow(cos(M_PI * x / 17), 2);
  }
}

static double distance(const room *room, const int image[3], const int mirrored[3]) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    double source = mirrored[axis] ? -room->source[axis] : room->source[axis];
    double along = source + 2 * image[axis] * room->size[axis] - room->microphone[axis];
    square += along * along;
  }
  return sqrt(square);
}

static void add_images(const room *room, double reflection, double *response, size_t taps) {
  int reach[3], image[3];
  for (int axis = 0; axis < 3; axis++)
    reach[axis] = (int)ceil(EARLY_TAPS / RATE * SOUND_M_PER_S / (2 * room->size[axis]));
  for (image[0] = -reach[0]; image[0] <= reach[0]; image[0]++)
    for (image[1] = -reach[1]; image[1] <= reach[1]; image[1]++)
      for (image[2] = -reach[2]; image[2] <= reach[2]; image[2]++)
        for (int side = 0; side < 8; side++) {
          int mirrored[3] = {side & 1, side >> 1 & 1, side >> 2};
          int walls = 0;
          for (int axis = 0; axis < 3; axis++)
            walls += abs(image[axis]) + abs(image[axis] - mirrored[axis]);
          double metres = distance(room, image, mirrored);
          double at = metres / SOUND_M_PER_S * RATE;
          if (at < EARLY_TAPS)
            put(response, taps, at, pow(reflection, walls) / metres);
        }
}

static void add_tail(const room *room, dice *dice, double *response, size_t taps) {
  double energy = 0;
  size_t from = EARLY_TAPS / 2;
  for (size_t i = from; i < EARLY_TAPS && i < taps; i++)
    energy += response[i] * response[i];
  double middle = 0.75 * EARLY_TAPS / RATE;
  double level = sqrt(energy / (EARLY_TAPS - from)) * pow(10, 3 * middle / room->reverberation);
  for (size_t i = EARLY_TAPS; i < taps; i++)
    response[i] += level * dice_normal(dice) * pow(10, -3 * (double)i / RATE / room->reverberation);
}

void room_response(const room *room, dice *dice, double *response, size_t taps) {
  const double *size = room->size;
  double volume = size[0] * size[1] * size[2];
  double surface = 2 * (size[0] * size[1] + size[0] * size[2] + size[1] * size[2]);
  // Eyring's formula for the absorption that gives this reverberation.
  double absorption = 1 - exp(-0.161 * volume / (surface * room->reverberation));
  memset(response, 0, taps * sizeof *response);
  add_images(room, sqrt(1 - fmin(absorption, 0.99)), response, taps);
  add_tail(room, dice, response, taps);
  const int none[3] = {0, 0, 0};
  double direct = distance(room, none, none);
  for (size_t i = 0; i < taps; i++)
    response[i] *= direct;
}
