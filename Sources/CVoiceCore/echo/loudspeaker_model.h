#ifndef VC_LOUDSPEAKER_MODEL_H
#define VC_LOUDSPEAKER_MODEL_H

#include "echo_rate.h"
#include "echo_transform.h"

/// Learns how a loudspeaker and its amplifier bend what they play: a curve without memory, made of
/// the straight line and of shapes that add to it where it becomes loud. What follows it, the room,
/// stays linear, so one filter serves them all.
typedef struct vc_loudspeaker vc_loudspeaker;

/// Spectra of the reference that are kept by who models the room.
#define VC_LOUDSPEAKER_HISTORY 24

/// Result: 0 or -ENOMEM. Role: any; allocates everything it ever needs.
int vc_loudspeaker_create(vc_loudspeaker **out);
void vc_loudspeaker_destroy(vc_loudspeaker *loudspeaker);
/// Takes the loudspeaker for straight again: what was learnt with another room may be wrong.
void vc_loudspeaker_forget(vc_loudspeaker *loudspeaker) VD_NONBLOCKING;
/// Bends one block of 10 ms at 16 kHz as far as is known. `out` may be `block`.
void vc_loudspeaker_play(vc_loudspeaker *loudspeaker, const vc_transform *transform,
                         const float *block, float *out) VD_NONBLOCKING;
/// Learns from what the last block's echo left.
/// - filter: the room, `partitions` spectra that are `stride` blocks apart.
/// - left: spectrum of the error, and `certainty`, by bin, the inverse of its expected power.
void vc_loudspeaker_learn(vc_loudspeaker *loudspeaker, const vc_transform *transform,
                          const vc_spectrum *filter, int partitions, int stride,
                          const vc_spectrum *left, const float *certainty) VD_NONBLOCKING;

#endif
