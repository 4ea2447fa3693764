#ifndef VC_LINEAR_CANCELLER_H
#define VC_LINEAR_CANCELLER_H

#include "path_filter.h"

/// A model of the way from speaker to microphone: the loudspeaker's curve, and the room behind it
/// twice. One filter trusts what it knows and keeps still while a person speaks; a quick one
/// follows what changes, and each takes over the other's path when that is shown to be better.
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
