#ifndef AD_SIMULATED_SPEAKER_H
#define AD_SIMULATED_SPEAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "voice_asrc.h"

/// Frames of both rings: 2.7 s.
#define AD_SPEAKER_FRAMES 131072

/// The speaker's side of a simulated device: frames written, played by a clock of its own, heard
/// some time later. Time is capture frames.
typedef struct {
  uint64_t now;     ///< capture frame up to which it has played
  double position;  ///< frames of the stream played by then
  double speed;     ///< of its clock
  uint64_t written; ///< frames of the stream
  uint64_t pause;   ///< capture frames that its clock still stands still
  uint32_t hidden;  ///< frames between playing and hearing
  uint64_t underruns;
  bool is_dry;
  bool is_mute;
  float stream[AD_SPEAKER_FRAMES]; ///< by the frame of the stream
  float air[AD_SPEAKER_FRAMES];    ///< by the capture frame at which it is heard
  vd_asrc filter;                  ///< only its table, for the values between two frames
} ad_speaker;

/// Plays up to capture frame `now`.
void ad_speaker_play(ad_speaker *speaker, uint64_t now) VD_NONBLOCKING;
/// Appends frames; NULL is silence.
void ad_speaker_write(ad_speaker *speaker, const float *frames, size_t count) VD_NONBLOCKING;
/// Throws away what was not played. Result: frames.
uint32_t ad_speaker_drop(ad_speaker *speaker) VD_NONBLOCKING;
/// Frames written and not played.
double ad_speaker_delay(const ad_speaker *speaker) VD_NONBLOCKING;
/// What is heard at a capture frame up to now.
float ad_speaker_heard(const ad_speaker *speaker, uint64_t frame) VD_NONBLOCKING;

#endif
