#ifndef VC_ECHO_CANCELLER_H
#define VC_ECHO_CANCELLER_H

#include <stdbool.h>

#include "echo_rate.h"

/// The linear canceller and its watch, at 16 kHz: whether it cancels, and when it must start anew.
typedef struct vc_echo vc_echo;

/// What one block gave.
typedef struct {
  float error[VC_ECHO_BLOCK];    ///< the microphone less the echo as it is seen
  float estimate[VC_ECHO_BLOCK]; ///< that echo
  const float *misalignment;     ///< power that is expected to be left of it, by bin
  bool cancels;                  ///< false until shown, and again when the path has changed
  bool has_cancelled;            ///< so far it was an echo that was cancelled, not silence
} vc_echo_block;

int vc_echo_create(vc_echo **out);
void vc_echo_destroy(vc_echo *echo);
void vc_echo_process(vc_echo *echo, const float *reference, const float *microphone,
                     vc_echo_block *block) VD_NONBLOCKING;
/// The reference has been moved in time: what was learnt of the path is wrong.
void vc_echo_restart(vc_echo *echo) VD_NONBLOCKING;

#endif
