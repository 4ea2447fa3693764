#include "impulse_response.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room_clock.h"

// A tail of signed pulses sounds like noise from about 1,500 a second on (velvet noise) and costs a
// twentieth of a dense one.
#define TAIL_PULSES_PER_SECOND 2000
// The direct path carries 6 dB more than the tail, as with a microphone close to its speaker.
#define DIRECT_TO_TAIL_ENERGY 4.0
// From this loss on nothing of the echo would be left in 32 bits.
#define NO_ECHO_DB 200.0

static bool acoustics_are_valid(const room_acoustics *acoustics) {
  return acoustics->delay_ms >= 0 && acoustics->delay_ms <= 500 && acoustics->rt60_ms >= 0 &&
         acoustics->rt60_ms <= 1000 && isfinite(acoustics->echo_return_loss_db) &&
         acoustics->echo_return_loss_db >= -40;
}

static int32_t frames_of(double milliseconds) {
  return (int32_t)lrint(milliseconds * ROOM_RATE / 1000);
}

/// A reproducible number in 0..1 (PCG's output permutation over a 32-bit state).
static double next_random(uint32_t *state) {
  *state = *state * 747796405u + 2891336453u;
  uint32_t word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  return ((word >> 22) ^ word) / 4294967296.0;
}

static void scale_to_energy(impulse_response *response, size_t first, double energy) {
  double sum = 0;
  for (size_t i = first; i < response->count; i++)
    sum += (double)response->taps[i].gain * response->taps[i].gain;
  double factor = sum > 0 ? sqrt(energy / sum) : 0;
  for (size_t i = first; i < response->count; i++)
    response->taps[i].gain *= (float)factor;
}

static double echo_energy(const room_acoustics *acoustics) {
  return pow(10, -acoustics->echo_return_loss_db / 10);
}

int impulse_response_make(impulse_response *out, const room_acoustics *acoustics) {
  *out = (impulse_response){0};
  if (!acoustics_are_valid(acoustics))
    return -EINVAL;
  if (acoustics->echo_return_loss_db >= NO_ECHO_DB)
    return 0;
  int32_t delay = frames_of(acoustics->delay_ms);
  int32_t grid = ROOM_RATE / TAIL_PULSES_PER_SECOND;
  size_t tail = (size_t)(frames_of(acoustics->rt60_ms) / grid);
  out->taps = calloc(tail + 1, sizeof *out->taps);
  if (!out->taps)
    return -ENOMEM;
  out->taps[out->count++] = (air_tap){.delay = delay, .gain = 1};
  uint32_t state = acoustics->seed * 2654435761u + 1;
  for (size_t i = 0; i < tail; i++) {
    int32_t offset = 1 + (int32_t)i * grid + (int32_t)(next_random(&state) * (grid - 1));
    // 60 dB down at the end of rt60: e^-6.9.
    double envelope = exp(-6.9 * offset / (acoustics->rt60_ms * ROOM_RATE / 1000));
    double sign = next_random(&state) < 0.5 ? -1 : 1;
    out->taps[out->count++] = (air_tap){.delay = delay + offset, .gain = (float)(sign * envelope)};
  }
  if (tail > 0)
    scale_to_energy(out, 1, 1 / DIRECT_TO_TAIL_ENERGY);
  scale_to_energy(out, 0, echo_energy(acoustics));
  return 0;
}

static uint32_t little_endian(const uint8_t *bytes, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; i--)
    value = value << 8 | bytes[i];
  return value;
}

/// Finds the samples of a mono 48 kHz 16-bit WAV file. Result: their count or a negative errno.
static long seek_samples(FILE *file) {
  uint8_t head[12], chunk[8], format[16];
  bool format_fits = false;
  if (fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, "RIFF", 4) ||
      memcmp(head + 8, "WAVE", 4))
    return -EINVAL;
  while (fread(chunk, 1, sizeof chunk, file) == sizeof chunk) {
    uint32_t size = little_endian(chunk + 4, 4);
    if (!memcmp(chunk, "data", 4))
      return format_fits ? (long)(size / 2) : -EINVAL;
    long rest = (long)size + (long)(size & 1);
    if (!memcmp(chunk, "fmt ", 4)) {
      if (size < sizeof format || fread(format, 1, sizeof format, file) != sizeof format)
        return -EINVAL;
      format_fits = little_endian(format, 2) == 1 && little_endian(format + 2, 2) == 1 &&
                    little_endian(format + 4, 4) == ROOM_RATE &&
                    little_endian(format + 14, 2) == 16;
      rest -= sizeof format;
    }
    if (fseek(file, rest, SEEK_CUR))
      return -EINVAL;
  }
  return -EINVAL;
}

int impulse_response_read(impulse_response *out, const room_acoustics *acoustics,
                          const char *path) {
  *out = (impulse_response){0};
  if (!acoustics_are_valid(acoustics))
    return -EINVAL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return -errno;
  int32_t delay = frames_of(acoustics->delay_ms);
  long count = seek_samples(file);
  if (count > IMPULSE_RESPONSE_MAX_FRAMES - delay)
    count = IMPULSE_RESPONSE_MAX_FRAMES - delay;
  int result = count < 0 ? (int)count : 0;
  if (!result && !(out->taps = calloc((size_t)count + 1, sizeof *out->taps)))
    result = -ENOMEM;
  uint8_t sample[2];
  for (long i = 0; !result && i < count && fread(sample, 1, 2, file) == 2; i++) {
    int16_t value = (int16_t)little_endian(sample, 2);
    if (value != 0)
      out->taps[out->count++] =
          (air_tap){.delay = delay + (int32_t)i, .gain = (float)value / 32768};
  }
  fclose(file);
  if (!result)
    scale_to_energy(out, 0, echo_energy(acoustics));
  return result;
}

void impulse_response_free(impulse_response *response) {
  free(response->taps);
  *response = (impulse_response){0};
}
