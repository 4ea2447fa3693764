#ifndef VC_LOCAL_SPEECH_H
#define VC_LOCAL_SPEECH_H

#include <stdbool.h>

#include "playout.h"
#include "voice_core.h"
#include "voice_resample.h"

/// Judges whether the person at the microphone speaks: 48 kHz in, windows of 32 ms at 16 kHz.
typedef struct {
  vd_resampler *resampler;
  vd_vad *vad;
  float window[VD_VAD_WINDOW_SAMPLES];
  size_t fill;
  int64_t window_start;  ///< capture frame of the window's first sample
  int64_t first_voiced;  ///< of the run of voiced windows now
  int64_t behind_voiced; ///< behind the last voiced window
  uint32_t voiced_run;   ///< voiced windows in a row
  uint32_t unvoiced_run; ///< windows below the lower threshold since the last voiced one
  uint32_t windows;      ///< judged so far
  bool speaking;
  bool anchored; ///< `window_start` is known
  bool fresh;    ///< the detector has heard only silence since its reset
} vc_local_speech;

int vc_local_speech_create(vc_local_speech *speech, const vd_vad_weights *weights);
void vc_local_speech_destroy(vc_local_speech *speech);
/// Takes VC_BLOCK_FRAMES samples that begin at capture frame `start`.
void vc_local_speech_push(vc_local_speech *speech, const float *block, int64_t start,
                          vc_events *events) VD_NONBLOCKING;
/// The microphone is cut off (mute, gate, lost time): speech ends, what was heard is forgotten.
void vc_local_speech_cut(vc_local_speech *speech, vc_events *events) VD_NONBLOCKING;

#endif
