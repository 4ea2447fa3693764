#include "air.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AIR_MASK (AIR_HISTORY_FRAMES - 1)

int air_create(air *space) {
  *space = (air){0};
  space->speaker = calloc(2 * AIR_HISTORY_FRAMES, sizeof *space->speaker);
  return space->speaker ? 0 : -ENOMEM;
}

void air_destroy(air *space) {
  impulse_response_free(&space->response);
  free(space->speaker);
}

void air_set_acoustics(air *space, impulse_response response, const room_acoustics *acoustics) {
  impulse_response_free(&space->response);
  space->response = response;
  space->noise_seed = acoustics->seed;
  // Evenly spread noise of peak p has a root mean square of p / sqrt(3).
  space->noise_peak =
      acoustics->noise_dbfs <= -120 ? 0 : (float)(sqrt(3) * pow(10, acoustics->noise_dbfs / 20));
}

void air_append(air *space, const float *samples, size_t count) {
  for (size_t i = 0; i < count; i++, space->end++) {
    int64_t slot = space->end & AIR_MASK;
    float value = samples ? samples[i] : 0;
    space->speaker[slot] = value;
    space->speaker[slot + AIR_HISTORY_FRAMES] = value;
  }
}

void air_copy(const air *space, int64_t frame, float *out, size_t count) {
  memcpy(out, space->speaker + (frame & AIR_MASK), count * sizeof *out);
}

/// Noise that depends on the frame alone, so that two runs hear the same (a 32-bit finaliser).
static float noise_at(int64_t frame, uint32_t seed) {
  uint32_t word = (uint32_t)frame * 2654435769u + seed;
  word = (word ^ word >> 16) * 2246822507u;
  word = (word ^ word >> 13) * 3266489909u;
  return (float)(int32_t)(word ^ word >> 16) / 2147483648.0f;
}

static void add_scaled(float *restrict out, const float *restrict in, float gain, size_t count) {
  for (size_t i = 0; i < count; i++)
    out[i] += gain * in[i];
}

void air_hear(const air *space, int64_t frame, float *out, size_t count) {
  memset(out, 0, count * sizeof *out);
  for (size_t i = 0; i < space->response.count; i++) {
    air_tap tap = space->response.taps[i];
    add_scaled(out, space->speaker + ((frame - tap.delay) & AIR_MASK), tap.gain, count);
  }
  if (space->noise_peak > 0)
    for (size_t i = 0; i < count; i++)
      out[i] += space->noise_peak * noise_at(frame + (int64_t)i, space->noise_seed);
}
