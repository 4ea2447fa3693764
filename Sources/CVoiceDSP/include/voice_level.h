#ifndef VOICE_LEVEL_H
#define VOICE_LEVEL_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// A level meter's memory: rises at once, falls 20 dB a second.
typedef struct {
  float held;
} vd_level;

/// Takes a block (-1..1) and returns the meter, 0..1, where 0 is -60 dBFS or less and 1 is 0 dBFS
/// (root mean square).
float vd_level_update(vd_level *level, const float *block, size_t count,
                      float seconds) VD_NONBLOCKING;
/// Root mean square of a block in dBFS, -120 at silence.
float vd_level_dbfs(const float *block, size_t count) VD_NONBLOCKING;

VD_END_DECLS

#endif
