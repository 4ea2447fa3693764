#ifndef AIR_H
#define AIR_H

#include <stddef.h>
#include <stdint.h>

#include "impulse_response.h"

/// Frames of the speaker's past that are kept: more than the longest impulse response and the
/// largest capture buffer together.
#define AIR_HISTORY_FRAMES (1 << 18)

/// The air between speaker and microphone: what the speaker put out, by the room's frames.
typedef struct {
  float *speaker; ///< ring, written twice so that every stretch of it is contiguous
  int64_t end;    ///< first frame not yet put out
  impulse_response response;
  float noise_peak;
  uint32_t noise_seed;
} air;

int air_create(air *space);
void air_destroy(air *space);
/// Takes over `response`.
void air_set_acoustics(air *space, impulse_response response, const room_acoustics *acoustics);
/// Appends what the speaker puts out; `samples` NULL is silence.
void air_append(air *space, const float *samples, size_t count);
/// What the speaker put out from `frame` on; `frame + count` <= `end`.
void air_copy(const air *space, int64_t frame, float *out, size_t count);
/// What the microphone hears of speaker and noise from `frame` on; `frame + count` <= `end`.
void air_hear(const air *space, int64_t frame, float *out, size_t count);

#endif
