#ifndef VC_ECHO_STAGE_H
#define VC_ECHO_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Our own canceller at the device's rate: a linear stage that models 240 ms of the room, and a
/// suppressor of what that leaves. Inside all is at 16 kHz, so nothing above 7.5 kHz passes.
typedef struct vc_echo_stage vc_echo_stage;

/// How far cancelling has come.
enum {
  VC_ECHO_LEARNING = 1, ///< nothing passes while the agent is heard
  VC_ECHO_CANCELS = 2,
  VC_ECHO_UNHEARD = 4, ///< there was no echo to cancel yet: a headset, or a speaker turned down
  VC_ECHO_GAVE_UP = 3, ///< after VC_ECHO_PATIENCE_BLOCKS of the agent's speech without success
};

/// Blocks of the agent's speech after which a path counts as one that cannot be cancelled: 6 s.
#define VC_ECHO_PATIENCE_BLOCKS 600

/// Result: 0 or -ENOMEM. Role: any; allocates everything it ever needs.
int vc_echo_stage_create(vc_echo_stage **out);
void vc_echo_stage_destroy(vc_echo_stage *stage);
/// Processes one block of 480 samples at 48 kHz.
/// - reference: what the speaker plays; its echo comes a few milliseconds later.
/// Role: the device's one thread.
void vc_echo_stage_process(vc_echo_stage *stage, const float *reference, const float *microphone,
                           float *out) VD_NONBLOCKING;
/// The reference has moved in time: what was learnt of the path is wrong.
void vc_echo_stage_restart(vc_echo_stage *stage) VD_NONBLOCKING;
/// One of the states above.
uint8_t vc_echo_stage_state(const vc_echo_stage *stage) VD_NONBLOCKING;
/// Frames by which `out` lags behind `microphone`.
size_t vc_echo_stage_latency_frames(void) VD_NONBLOCKING;

#endif
