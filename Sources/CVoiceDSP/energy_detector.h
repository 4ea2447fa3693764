#ifndef ENERGY_DETECTOR_H
#define ENERGY_DETECTOR_H

#include "voice_realtime.h"

/// Judges speech by how far a window stands above the noise floor it follows.
typedef struct {
  float floor_dbfs; // 0: no window seen yet
} energy_detector;

/// Probability of speech in the next window of 512 samples (16 kHz).
float vd_energy_detector_process(energy_detector *detector, const float *window) VD_NONBLOCKING;

#endif
