#ifndef VC_TIMELINE_H
#define VC_TIMELINE_H

#include "drift.h"
#include "voice_core.h"

/// When is what heard: for each frame of the agent's speech, the capture frame of its sounding.
///
/// The speech is counted before the drift resampler, so on the capture clock: once the drift is
/// locked, `heard(w) = w + offset` with a constant offset. The offset is what lies in the device
/// (frames placed less the playback clock, which `drift` follows), in the resampler, and hidden
/// behind the device's report.
typedef struct {
  vc_drift drift;
  uint64_t now;     ///< capture frame of now
  uint64_t read;    ///< capture frames taken
  uint64_t written; ///< frames of speech and silence given to the resampler since creation
  double held;      ///< of them, inside the resampler
  int64_t placed;   ///< frames in the device's timeline since creation, its own silence included
  int64_t offset;
  int64_t reported_offset; ///< without the hidden latency
  uint64_t boundary;       ///< frames below were written before the device's last interruption, ...
  uint64_t unheard_from;   ///< ... those from here on were lost in it, ...
  int64_t previous_offset; ///< ... and the others are heard by this one
  uint32_t epoch;
  uint32_t hidden;     ///< in force
  uint32_t configured; ///< hidden latency as the device was given it
  uint32_t speaker;    ///< of which all that is
  uint32_t speakers;   ///< counts up with each that takes the place of the one before
  uint8_t hidden_state;
} vc_timeline;

/// - held: frames that the resampler holds from the start.
void vc_timeline_init(vc_timeline *timeline, double held);
/// Takes the device's report of this step.
/// - jumped: capture time was lost.
/// Result: whether the device was interrupted; `boundary` is new then.
bool vc_timeline_report(vc_timeline *timeline, const vc_timing *timing, bool jumped) VD_NONBLOCKING;
/// VC_BLOCK_FRAMES went into the resampler, `placed` frames came out, `held` are inside.
void vc_timeline_write(vc_timeline *timeline, size_t placed, double held) VD_NONBLOCKING;
/// The echo was found `echo_frames` behind what the device reports. Less than 20 ms is the way
/// through the air, more than 500 a mistake.
void vc_timeline_correct(vc_timeline *timeline, uint32_t echo_frames) VD_NONBLOCKING;
/// The capture frame at which frame `frame` is heard.
int64_t vc_timeline_heard_at(const vc_timeline *timeline, uint64_t frame) VD_NONBLOCKING;
/// Frames between capture and playback now, smoothed: play delay and capture delay together.
double vc_timeline_in_flight(const vc_timeline *timeline) VD_NONBLOCKING;

#endif
