#ifndef VC_ECHO_RATE_H
#define VC_ECHO_RATE_H

#include <stddef.h>

#include "voice_realtime.h"

/// Samples of one block of 10 ms at the device and at the canceller's rate of 16 kHz.
#define VC_WIDE_BLOCK 480
#define VC_ECHO_BLOCK 160
/// Taps of either filter at 48 kHz; flat up to 7 kHz, what lies above 8.5 kHz is 60 dB down.
#define VC_RATE_TAPS 144
/// Frames at 48 kHz by which both filters together are late.
#define VC_RATE_LATENCY_FRAMES (VC_RATE_TAPS - 3)

/// 48 kHz to 16 kHz.
typedef struct {
  float taps[VC_RATE_TAPS];
  float past[VC_RATE_TAPS - 3 + VC_WIDE_BLOCK];
} vc_decimator;

/// 16 kHz to 48 kHz.
typedef struct {
  float phases[3][VC_RATE_TAPS / 3];
  float past[VC_RATE_TAPS / 3 - 1 + VC_ECHO_BLOCK];
} vc_interpolator;

void vc_decimator_prepare(vc_decimator *decimator);
void vc_decimator_process(vc_decimator *decimator, const float *wide, float *narrow) VD_NONBLOCKING;
void vc_interpolator_prepare(vc_interpolator *interpolator);
void vc_interpolator_process(vc_interpolator *interpolator, const float *narrow,
                             float *wide) VD_NONBLOCKING;

#endif
