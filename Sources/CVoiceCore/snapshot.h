#ifndef VC_SNAPSHOT_H
#define VC_SNAPSHOT_H

#include <stdatomic.h>

#include "voice_core.h"

/// What other threads may see of a core.
typedef struct {
  vc_playout playout;
  vc_counters counters;
} vc_snapshot;

#define VC_SNAPSHOT_WORDS ((sizeof(vc_snapshot) + 7) / 8)

/// A sequence lock over atomic words: the writer never waits, a reader tries again when a write
/// came in between (once in 10 ms).
typedef struct {
  _Atomic uint32_t version; ///< odd while a write goes on
  _Atomic uint64_t words[VC_SNAPSHOT_WORDS];
} vc_published;

/// Role: the one writer.
void vc_publish(vc_published *published, const vc_snapshot *snapshot) VD_NONBLOCKING;
/// Role: any.
void vc_published_read(const vc_published *published, vc_snapshot *snapshot);

#endif
