#ifndef VC_BARGE_IN_H
#define VC_BARGE_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Decides, block by block, whether the person speaks over the agent. A value: what it hears in,
/// what the agent's voice shall do out.
typedef enum {
  VC_BARGE_NONE = 0, ///< nobody speaks over the agent
  VC_BARGE_DUCKED,   ///< something that may be a person; the agent goes on quietly
  VC_BARGE_STOPPED,  ///< a person speaks; the agent's voice waits where it was
  VC_BARGE_GIVEN_UP, ///< the person has the floor for certain; what waits will be flushed
} vc_barge_state;

typedef struct {
  vc_barge_state state;
  uint32_t recent;   ///< the last windows, one bit each, newest lowest: 1 = voiced
  uint32_t voiced;   ///< voiced windows since the voice was stopped
  uint32_t blocks;   ///< since the last voiced window
  uint32_t releases; ///< of the application, as last seen
} vc_barge_in;

/// What one block of 10 ms brings.
typedef struct {
  bool has_speech;   ///< the agent has something to say: it plays, or waits to
  bool has_window;   ///< the detector judged a window of 32 ms
  bool is_voiced;    ///< that window is voiced
  bool is_flushed;   ///< what was to be said has been taken back
  uint32_t releases; ///< counts what the application released: nothing was said after all
} vc_barge_input;

/// Takes one block. Result: the state from now on.
vc_barge_state vc_barge_in_step(vc_barge_in *barge, const vc_barge_input *input) VD_NONBLOCKING;

#endif
