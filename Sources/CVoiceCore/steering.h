#ifndef VC_STEERING_H
#define VC_STEERING_H

#include "drift.h"
#include "voice_core.h"

/// Turns the known drift and the frames in flight into the playback resampler's ratio: the drift is
/// fed forward, what is left of the error is corrected too slowly to be heard.
typedef struct {
  double target;        ///< frames in flight to hold
  uint32_t since_start; ///< reports since the last restart
  uint32_t calm;        ///< of them in a row that need no correction
  bool has_target;
  bool is_engaged; ///< the ratio is not 1
  double ratio;
} vc_steering;

void vc_steering_init(vc_steering *steering);
/// The device was restarted: the target is taken anew, the ratio stays.
void vc_steering_restart(vc_steering *steering) VD_NONBLOCKING;
/// Takes the state of the drift after a step's report.
/// - in_flight: frames between capture and playback, smoothed.
/// - target: that the device wants to hold; 0: whatever there was at first.
/// Result: frames to write for each frame read.
double vc_steering_ratio(vc_steering *steering, const vc_drift *drift, double in_flight,
                         uint32_t target) VD_NONBLOCKING;
/// VC_DRIFT_UNKNOWN, VC_DRIFT_LOCKING or VC_DRIFT_LOCKED.
uint8_t vc_steering_state(const vc_steering *steering, const vc_drift *drift) VD_NONBLOCKING;

#endif
