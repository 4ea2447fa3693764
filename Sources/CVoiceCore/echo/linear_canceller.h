#ifndef VC_LINEAR_CANCELLER_H
#define VC_LINEAR_CANCELLER_H

#include "echo_rate.h"
#include "echo_transform.h"

/// Samples of the echo path that one partition models.
#define VC_PARTITION 320
/// Partitions: 240 ms together.
#define VC_PARTITIONS 12

typedef struct vc_linear vc_linear;

int vc_linear_create(vc_linear **out);
void vc_linear_destroy(vc_linear *linear);
void vc_linear_reset(vc_linear *linear) VD_NONBLOCKING;
void vc_linear_process(vc_linear *linear, const float *reference, const float *microphone,
                       float *out, float *estimate) VD_NONBLOCKING;
/// Power of the echo that the filter expects to have left, by bin.
const float *vc_linear_misalignment(const vc_linear *linear) VD_NONBLOCKING;

#endif
