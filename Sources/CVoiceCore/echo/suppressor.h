#ifndef VC_SUPPRESSOR_H
#define VC_SUPPRESSOR_H

#include "echo_canceller.h"
#include "echo_transform.h"

/// Takes away what the linear canceller leaves of the echo, and as little as it can of a person who
/// speaks at the same time.
typedef struct vc_suppressor vc_suppressor;

/// Samples at 16 kHz by which the output is late.
#define VC_SUPPRESSOR_LATENCY 64

int vc_suppressor_create(vc_suppressor **out);
void vc_suppressor_destroy(vc_suppressor *suppressor);
/// Processes one block of 10 ms at 16 kHz.
/// - reference: what the speaker plays, aligned.
/// - block: what the canceller made of the microphone.
void vc_suppressor_process(vc_suppressor *suppressor, const float *reference,
                           const vc_echo_block *block, float *out) VD_NONBLOCKING;

#endif
