#ifndef VC_YIELDING_H
#define VC_YIELDING_H

#include "barge_in.h"
#include "local_speech.h"
#include "playback.h"
#include "playout.h"

/// What the agent's voice does when the person speaks: it becomes quiet, stops, goes on.
typedef struct {
  vc_barge_in barge;
  float gain;       ///< of the voice, at the end of the last block
  uint32_t floor;   ///< generations below were flushed
  uint32_t windows; ///< of the detector, as of the last block
  uint32_t overs;   ///< counts the barge-ins that were nothing
} vc_yielding;

void vc_yielding_init(vc_yielding *yielding);
/// Takes what was heard up to the last block, for this one is not heard yet, and holds the voice or
/// lets it go on.
/// - is_deaf: the detector hears nobody (half duplex); the voice never yields.
void vc_yielding_step(vc_yielding *yielding, const vc_local_speech *heard, const vc_input *input,
                      bool is_deaf, const vc_progress *progress, vc_playback *playback,
                      vc_events *events) VD_NONBLOCKING;
/// Makes the block that is written now as quiet as it has to be, with a ramp of its length.
void vc_yielding_duck(vc_yielding *yielding, float *block) VD_NONBLOCKING;

#endif
