#ifndef IMPULSE_RESPONSE_H
#define IMPULSE_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

/// Longest delay plus reverberation, in frames (1.5 s).
#define IMPULSE_RESPONSE_MAX_FRAMES 72000

/// One path of sound from the speaker to the microphone.
typedef struct {
  int32_t delay;
  float gain;
} air_tap;

/// The way from the speaker to the microphone, as a list of its nonzero taps.
typedef struct {
  air_tap *taps;
  size_t count;
} impulse_response;

/// Acoustics as a person states them.
typedef struct {
  double echo_return_loss_db;
  double delay_ms;
  double rt60_ms;
  double noise_dbfs;
  uint32_t seed;
} room_acoustics;

/// Makes a direct path and an exponentially decaying tail whose energy together is the echo return
/// loss. Result: 0, -EINVAL or -ENOMEM.
int impulse_response_make(impulse_response *out, const room_acoustics *acoustics);
/// Reads the shape from a mono 48 kHz 16-bit WAV file and scales it to the echo return loss, after
/// the delay. Result: 0, -EINVAL, -ENOMEM or the errno of the file.
int impulse_response_read(impulse_response *out, const room_acoustics *acoustics, const char *path);
void impulse_response_free(impulse_response *response);

#endif
