#ifndef ECHO_SCENE_H
#define ECHO_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "loudspeaker.h"

#define SCENE_RATE 16000
/// The schedule of a scene, in seconds: the agent alone, both, the person alone, the agent alone.
#define SCENE_BOTH_FROM 18
#define SCENE_PERSON_FROM 28
#define SCENE_AGENT_FROM 32
#define SCENE_SECONDS 36

/// What happens to the path of the echo while the agent speaks.
enum scene_change {
  CHANGE_NONE,
  CHANGE_MOVED,  ///< the microphone is put elsewhere at 10 s
  CHANGE_MOVING, ///< it wanders there from 6 to 14 s
  CHANGE_VOLUME, ///< 15 dB down at 5 s, up again at 9 s, 10 dB down at 13 s
  CHANGE_DELAY,  ///< 180 ms more at 9 s, of which the device says nothing
};

typedef struct {
  const char *name;
  const char *agent;  ///< file of the voice that is heard over the loudspeaker
  const char *person; ///< file of the voice at the microphone; NULL: nobody all the time
  uint64_t seed;      ///< of the room, the noise and where the voices begin
  double reverberation_ms;
  double delay_ms;  ///< the device reports it
  double hidden_ms; ///< the device has it, and does not report it
  double drift_ppm; ///< of the playback clock against the capture clock
  double echo_db;   ///< level of the echo over that of the person
  double noise_db;  ///< level of the noise below that of the person
  enum loudspeaker loudspeaker;
  enum scene_change change;
  int seconds;
} scene_plan;

typedef struct scene {
  scene_plan plan;
  size_t count;
  float *sent;       ///< what the agent said, on the playback clock
  float *played;     ///< the same on the capture clock, as the drift resampler leaves it
  float *microphone; ///< what is to be cleaned
  float *person;     ///< of it the person alone
  float *ideal;      ///< of it all but the echo
  uint64_t hash;     ///< of `sent` and `microphone` as 16-bit samples
} scene;

/// Where the voices are.
typedef struct {
  const char *speech;     ///< those that set-up makes
  const char *recordings; ///< those that lie in the checkout
} scene_places;

/// Builds a scene. Result: 0, or -1 with a sentence in `error`.
int scene_build(scene *scene, const scene_plan *plan, const scene_places *places, char *error,
                size_t error_bytes);
void scene_free(scene *scene);

/// Reads a mono 16-bit WAV file of 16 kHz. Result: its samples (to be freed), or NULL.
float *wave_read(const char *path, size_t *count);

#endif
