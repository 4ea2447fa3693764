#ifndef VOICE_ASRC_H
#define VOICE_ASRC_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Taps of the filter; half of them are its delay, 0.33 ms at 48 kHz.
#define VD_ASRC_TAPS 32
/// Steps between two samples at which the filter is tabled; between them it is interpolated.
#define VD_ASRC_PHASES 512
/// Input frames of one call at most.
#define VD_ASRC_FRAMES_MAX 480

/// Asynchronous sample rate converter, mono, for ratios within a few thousandths of 1: one clock
/// follows another. A value; nothing is allocated.
///
/// At ratio 1 and between no two samples it copies, with the same delay as ever, so that nothing is
/// heard of its coming and going. Made by us because libsamplerate's cheapest sinc costs five times
/// as much here, delays 1.25 ms, and does not tell what it holds.
typedef struct {
  double position; ///< of the next sample given out, in `held`
  double step;     ///< input frames for each frame given out, at the end of the last call
  float held[VD_ASRC_TAPS + VD_ASRC_FRAMES_MAX];
  size_t count; ///< of `held`
  float filter[VD_ASRC_PHASES + 1][VD_ASRC_TAPS];
} vd_asrc;

/// Role: any.
void vd_asrc_init(vd_asrc *asrc);
/// Forgets the samples it holds.
void vd_asrc_reset(vd_asrc *asrc) VD_NONBLOCKING;
/// Converts all of `in`.
/// - count: at most VD_ASRC_FRAMES_MAX.
/// - ratio: frames out for each frame in, 0.99..1.01; reached at the end of this call, sample by
///   sample.
/// - out: room for 1.01 * count + 2 frames.
/// Result: frames written to `out`.
size_t vd_asrc_process(vd_asrc *asrc, const float *in, size_t count, double ratio,
                       float *out) VD_NONBLOCKING;
/// The value between two samples by the same filter: `part` of the way (0..1) from `in[15]` to
/// `in[16]` of the VD_ASRC_TAPS samples at `in`.
float vd_asrc_between(const vd_asrc *asrc, const float *in, double part) VD_NONBLOCKING;
/// Input frames that were taken and whose time has not been given out yet; a fraction counts.
double vd_asrc_held_frames(const vd_asrc *asrc) VD_NONBLOCKING;

VD_END_DECLS

#endif
