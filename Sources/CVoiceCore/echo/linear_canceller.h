#ifndef VC_LINEAR_CANCELLER_H
#define VC_LINEAR_CANCELLER_H

#include "echo_rate.h"
#include "echo_transform.h"

/// Samples of the echo's path that one partition models: 20 ms at 16 kHz.
#define VC_PARTITION 320
/// Partitions: 240 ms together.
#define VC_PARTITIONS 12

/// A linear model of the way from speaker to microphone: a Kalman filter in each bin over all
/// partitions, whose covariance knows how they hang together. How sure it is of itself decides how
/// far it moves, so a person who speaks over the agent does not lead it astray.
typedef struct vc_linear vc_linear;

/// Result: 0 or -ENOMEM. Role: any; allocates everything it ever needs.
int vc_linear_create(vc_linear **out);
void vc_linear_destroy(vc_linear *linear);
/// Forgets the path.
void vc_linear_reset(vc_linear *linear) VD_NONBLOCKING;
/// Processes one block of 10 ms at 16 kHz, and is not late.
/// - out: the microphone less the echo as it is seen.
/// - estimate: that echo.
void vc_linear_process(vc_linear *linear, const float *reference, const float *microphone,
                       float *out, float *estimate) VD_NONBLOCKING;
/// Power of the echo that the filter expects to have left in the last block, by bin.
const float *vc_linear_misalignment(const vc_linear *linear) VD_NONBLOCKING;

#endif
