#include "steering.h"

#include <math.h>

/// Time constant of the correction: 8 s. What is left of it is below 1 ppm before 60 s are over.
#define CORRECTION_FRAMES (8.0 * 48000)
/// Most that is corrected beside the drift: 300 ppm, half a cent.
#define CORRECTION_MAX 300e-6
/// Clocks further apart are no clocks: the drift followed at most.
#define SPEED_MAX 1000e-6
/// Reports after a restart before the frames in flight are believed: half a second.
#define SETTLING_REPORTS 50
/// A drift is followed when it is this far from nothing, and sure.
#define SPEED_MIN 1e-6
#define SPEED_DEVIATIONS 5.0
/// Without a drift, an error in flight is left alone up to 5 ms: it stays what it is.
#define ERROR_ALLOWED 240.0
/// It is let go of below this, after 60 s: one card, one clock.
#define SPEED_LET_GO 0.5e-6
#define ERROR_LET_GO 4.0
#define CALM_REPORTS 6000
/// The drift counts as known when its deviation is below 1 ppm and less than 1 ms is left.
#define DOUBT_LOCKED 1e-6
#define ERROR_LOCKED 48.0

void vc_steering_init(vc_steering *steering) {
  *steering = (vc_steering){.ratio = 1};
}

void vc_steering_restart(vc_steering *steering) VD_NONBLOCKING {
  steering->has_target = false;
  steering->since_start = 0;
  steering->calm = 0;
}

static double clamp(double value, double bound) VD_NONBLOCKING {
  return fmin(fmax(value, -bound), bound);
}

static void engage(vc_steering *steering, double speed, double doubt, double error) VD_NONBLOCKING {
  if (!steering->is_engaged) {
    const bool drifts = fabs(speed) > fmax(SPEED_MIN, SPEED_DEVIATIONS * doubt);
    steering->is_engaged = drifts || fabs(error) > ERROR_ALLOWED;
    steering->calm = 0;
    return;
  }
  const bool is_calm = fabs(speed) < SPEED_LET_GO && fabs(error) < ERROR_LET_GO;
  steering->calm = is_calm ? steering->calm + 1 : 0;
  if (steering->calm >= CALM_REPORTS)
    steering->is_engaged = false;
}

double vc_steering_ratio(vc_steering *steering, const vc_drift *drift, double in_flight,
                         uint32_t target) VD_NONBLOCKING {
  if (steering->since_start < SETTLING_REPORTS) {
    steering->since_start++;
    return steering->ratio; // Frozen: nothing sure is known yet.
  }
  if (target > 0)
    steering->target = target;
  else if (!steering->has_target)
    steering->target = in_flight;
  steering->has_target = true;
  const double speed = clamp(vc_drift_speed(drift), SPEED_MAX);
  const double error = in_flight - steering->target;
  engage(steering, speed, vc_drift_doubt(drift), error);
  steering->ratio =
      steering->is_engaged ? 1 + speed - clamp(error / CORRECTION_FRAMES, CORRECTION_MAX) : 1;
  return steering->ratio;
}

uint8_t vc_steering_state(const vc_steering *steering, const vc_drift *drift) VD_NONBLOCKING {
  if (!steering->has_target)
    return VC_DRIFT_UNKNOWN;
  return vc_drift_doubt(drift) < DOUBT_LOCKED ? VC_DRIFT_LOCKED : VC_DRIFT_LOCKING;
}
