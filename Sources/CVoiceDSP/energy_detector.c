#include "energy_detector.h"

#include <math.h>

#include "voice_level.h"
#include "voice_vad.h"

// A stream may begin in the middle of a word: the floor never starts above a quiet room's noise.
static const float FLOOR_START_MAX_DBFS = -45.0f;
// Down within some windows, up slowly enough (1.6 dB a second) that a long sentence stays speech,
// fast enough that a fan switched on is noise again within half a minute.
static const float FLOOR_FALL = 0.15f;
static const float FLOOR_RISE_DB = 0.05f;
// Half probability at this distance from the floor; a distance one slope away changes the odds by
// e.
static const float SPEECH_OVER_FLOOR_DB = 9.0f;
static const float SLOPE_DB = 1.5f;
// Speech below this is not meant for the microphone.
static const float QUIETEST_SPEECH_DBFS = -55.0f;

float vd_energy_detector_process(energy_detector *detector, const float *window) VD_NONBLOCKING {
  // The difference of neighbours takes away hum and offset, which carry no speech.
  float edges[VD_VAD_WINDOW_SAMPLES - 1];
  for (int i = 0; i + 1 < VD_VAD_WINDOW_SAMPLES; i++) {
    edges[i] = window[i + 1] - 0.9f * window[i];
  }
  const float now = vd_level_dbfs(edges, VD_VAD_WINDOW_SAMPLES - 1);
  if (detector->floor_dbfs >= 0) {
    detector->floor_dbfs = now < FLOOR_START_MAX_DBFS ? now : FLOOR_START_MAX_DBFS;
  } else if (now < detector->floor_dbfs) {
    detector->floor_dbfs += FLOOR_FALL * (now - detector->floor_dbfs);
  } else {
    const float distance = now - detector->floor_dbfs;
    detector->floor_dbfs += distance < FLOOR_RISE_DB ? distance : FLOOR_RISE_DB;
  }
  if (now < QUIETEST_SPEECH_DBFS) {
    return 0;
  }
  const float over = now - detector->floor_dbfs - SPEECH_OVER_FLOOR_DB;
  return 1.0f / (1.0f + expf(-over / SLOPE_DB));
}
