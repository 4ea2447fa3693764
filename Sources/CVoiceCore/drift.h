#ifndef VC_DRIFT_H
#define VC_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Follows the playback clock as seen from the capture clock: a delay-locked loop of second order
/// whose bandwidth comes from the noise of the reports (a Kalman filter of lead and rate).
///
/// Reports may be quantised to periods, late, wrong for a moment, or jump: a run of outliers to one
/// side is a jump and moves the lead, never the rate.
typedef struct {
  double moment;  ///< capture frame of the last report
  double lead;    ///< frames that the playback clock counted more than the capture clock
  double rate;    ///< change of the lead, frames a second
  double p00;     ///< variance of the lead, ...
  double p01;     ///< ... of both together, ...
  double p11;     ///< ... and of the rate
  double noise;   ///< variance of one report
  double bias;    ///< what the reports say on average beside the lead
  double trusted; ///< `noise` before the run of outliers
  uint32_t reports;
  int32_t outliers; ///< signed run
  bool is_fresh;    ///< the next report is believed at once
} vc_drift;

void vc_drift_init(vc_drift *drift);
/// The device was restarted or lost time: the next report is believed at once, the rate is kept.
void vc_drift_restart(vc_drift *drift) VD_NONBLOCKING;
/// Takes a report: at capture frame `moment` the playback clock led by `lead` frames.
void vc_drift_observe(vc_drift *drift, double moment, double lead) VD_NONBLOCKING;
/// How much faster the playback clock runs, in parts of 1.
double vc_drift_speed(const vc_drift *drift) VD_NONBLOCKING;
/// Standard deviation of that, in parts of 1.
double vc_drift_doubt(const vc_drift *drift) VD_NONBLOCKING;

#endif
