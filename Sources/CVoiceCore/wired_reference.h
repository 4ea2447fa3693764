#ifndef VC_WIRED_REFERENCE_H
#define VC_WIRED_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Whether a channel that is said to carry what the speaker plays does. Some arrays exchange their
/// channels at the start, and a microphone taken for the reference would have the person cancelled.
/// So it has to prove itself: silent while nothing is played, sounding while something is. Zeroed
/// is the beginning.
typedef struct {
  uint32_t quiet_blocks;    ///< in a row, without anything played
  uint32_t calm_blocks;     ///< of those, in which the channel was silent too
  uint32_t noisy_run;       ///< in a row, in which it was not
  uint32_t sounding_blocks; ///< with the agent heard, in which it sounded
  uint32_t dead_run;        ///< in a row, in which it did not
  uint8_t state;            ///< VC_REFERENCE_...
} vc_wired_reference;

/// Takes a block of 480 samples.
/// - wired: of the channel.
/// - played: what the speaker plays by the playout clock, at the same time.
/// Result: whether the channel is to be used for this block.
bool vc_wired_reference_step(vc_wired_reference *reference, const float *wired,
                             const float *played) VD_NONBLOCKING;
bool vc_wired_reference_is_used(const vc_wired_reference *reference) VD_NONBLOCKING;
uint8_t vc_wired_reference_state(const vc_wired_reference *reference) VD_NONBLOCKING;

#endif
