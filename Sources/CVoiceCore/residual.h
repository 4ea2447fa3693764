#ifndef VC_RESIDUAL_H
#define VC_RESIDUAL_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Echo cancellation and noise suppression of one microphone, 48 kHz mono, blocks of 480 samples.
/// Everything of the library behind it stays behind it: later Debians replace that library.
typedef struct vc_residual vc_residual;

/// Result: 0, -ENOMEM or -EIO (the library refused its configuration). Role: any; allocates, and
/// runs one silent pair so that the library's late allocations are over.
int vc_residual_create(vc_residual **out, int cancels_echo, int suppresses_noise);
void vc_residual_destroy(vc_residual *residual);
/// Processes one block.
/// - reference: what the speaker plays, aligned so that its echo arrives `delay_ms` later.
/// - microphone, out: 480 samples, -1..1; may be the same.
/// Role: one thread only; two would contend for the library's locks.
void vc_residual_process(vc_residual *residual, const float *reference, const float *microphone,
                         int delay_ms, float *out) VD_NONBLOCKING;
/// Frames by which `out` lags behind `microphone`.
size_t vc_residual_latency_frames(const vc_residual *residual) VD_NONBLOCKING;

VD_END_DECLS

#endif
