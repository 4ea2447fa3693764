#ifndef VC_DUPLEX_POLICY_H
#define VC_DUPLEX_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Decides when a person may speak over the agent: not before the canceller has shown that the
/// agent's own voice would not be taken for a person's, and not after it has failed. A value; all
/// zero is its beginning, half duplex.
typedef struct {
  bool is_full;
  uint32_t calm_windows; ///< of the agent's speech without a voice in what would pass, in a row
  uint32_t needed;       ///< of those for full duplex; 0: the first time
  uint32_t overs;        ///< barge-ins that were nothing, as of the last block
  uint32_t vain;         ///< of those within VC_DUPLEX_FORGETS_BLOCKS
  uint32_t vain_blocks;  ///< of the agent's speech since the first of them
  uint32_t full_blocks;  ///< of the agent's speech in full duplex, without a failure
} vc_duplex_policy;

/// Windows of 32 ms of the agent's speech that show it: 3 s; after each failure twice as many, up
/// to 24 s, and again 3 s after two minutes of the agent's speech without one.
#define VC_DUPLEX_PROOF_WINDOWS 94
#define VC_DUPLEX_PROOF_MOST (8 * VC_DUPLEX_PROOF_WINDOWS)
#define VC_DUPLEX_TRUSTED_BLOCKS 12000
/// So many barge-ins that were nothing within half a minute of the agent's speech are its own echo.
#define VC_DUPLEX_VAIN_MOST 3
#define VC_DUPLEX_FORGETS_BLOCKS 3000

/// What one block of 10 ms brings.
typedef struct {
  bool sounds;       ///< the agent is heard
  uint8_t stage;     ///< VC_ECHO_..., or 0: no canceller of our own
  bool cancels;      ///< which takes the echo away, as it sees it itself
  bool is_disturbed; ///< the device was started anew or lost sound
  bool has_window;   ///< a window of what would pass, or passes, was judged
  bool is_voiced;    ///< as a person's voice
  uint32_t overs;    ///< counts barge-ins that were nothing
} vc_duplex_input;

/// Takes one block. Result: whether a person may speak over the agent from now on.
bool vc_duplex_policy_step(vc_duplex_policy *policy, const vc_duplex_input *input) VD_NONBLOCKING;

#endif
