#ifndef VC_VOLUME_WATCH_H
#define VC_VOLUME_WATCH_H

#include "echo_transform.h"

/// Sees that all of the echo has become louder or quieter at once: somebody turned the speaker's
/// knob. A value; all zero is its beginning.
typedef struct {
  float both, echo, heard; ///< sums over the last blocks, each bin by its certainty
  int blocks;              ///< in a row that said the same
  int alert;               ///< blocks for which a rest of the change is still looked for
} vc_volume_watch;

/// Takes one block.
/// - echo: spectrum of the echo as it is seen; left: of the microphone less that echo.
/// - certainty: by bin, the inverse of the power that is expected to be left.
/// Result: the factor by which the echo became louder; 1 as long as it did not.
float vc_volume_watch_step(vc_volume_watch *watch, const vc_spectrum *echo, const vc_spectrum *left,
                           const float *certainty) VD_NONBLOCKING;

#endif
