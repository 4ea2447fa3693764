#ifndef ECHO_LOUDSPEAKER_H
#define ECHO_LOUDSPEAKER_H

#include <stddef.h>

/// What a loudspeaker does beside being loud.
enum loudspeaker {
  LOUDSPEAKER_CLEAN,
  LOUDSPEAKER_SOFT,  ///< saturates smoothly
  LOUDSPEAKER_CLIPS, ///< clips hard, and is asymmetric
  /// A small cone: resonance before an asymmetric saturation, so that the distortion has memory.
  LOUDSPEAKER_SMALL,
};

/// Distorts in place. The drive is relative to the loudest tenth of a percent of the samples.
void loudspeaker_play(enum loudspeaker kind, double *samples, size_t count);

#endif
