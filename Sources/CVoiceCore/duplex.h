#ifndef VC_DUPLEX_H
#define VC_DUPLEX_H

#include "duplex_policy.h"
#include "local_speech.h"
#include "playout.h"

/// Half duplex never, always, or as long as it has to be: then a second detector listens behind the
/// shut gate to what would pass, and what it hears of the agent decides.
typedef struct {
  uint8_t mode; ///< VC_HALF_DUPLEX_...
  bool gave_up; ///< the canceller did
  vc_local_speech trial;
  vc_duplex_policy policy;
  uint32_t windows; ///< of the trial, as of the last block
} vc_duplex;

/// - mode: VC_HALF_DUPLEX_...
int vc_duplex_create(vc_duplex *duplex, uint8_t mode, const vd_vad_weights *weights);
void vc_duplex_destroy(vc_duplex *duplex);
/// Takes one block.
/// - block: what the canceller left of the microphone, before the gate; NULL while it is muted.
/// - start: capture frame at which it began.
/// - input: all but `cancels` and the windows.
/// - events: is told of a change.
void vc_duplex_step(vc_duplex *duplex, const float *block, int64_t start, vc_duplex_input *input,
                    vc_events *events) VD_NONBLOCKING;
/// Whether the agent cannot be spoken over.
bool vc_duplex_is_half(const vc_duplex *duplex) VD_NONBLOCKING;

#endif
