#ifndef VC_SNAPSHOT_H
#define VC_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "voice_core.h"

/// What other threads may see of a core.
typedef struct {
  vc_playout playout;
  vc_counters counters;
} vc_snapshot;

#define VC_SNAPSHOT_WORDS ((sizeof(vc_snapshot) + 7) / 8)
/// The last so many snapshots stand side by side. A reader is disturbed only when the writer comes
/// round to the one it reads: when it stood still for 30 ms within a few hundred nanoseconds.
#define VC_SNAPSHOT_SLOTS 4
/// Attempts of a reader at most.
#define VC_SNAPSHOT_ATTEMPTS 8

/// The newest snapshot for everybody: the writer never waits, and a reader never waits for a writer
/// that was interrupted in the middle of writing.
typedef struct {
  _Atomic uint32_t begun;    ///< snapshots whose writing was begun
  _Atomic uint32_t complete; ///< snapshots written
  _Atomic uint64_t words[VC_SNAPSHOT_SLOTS][VC_SNAPSHOT_WORDS];
} vc_published;

/// Role: the one writer.
void vc_publish(vc_published *published, const vc_snapshot *snapshot) VD_NONBLOCKING;
/// Result: false when each attempt was overtaken; `snapshot` may then be of two moments. Role: any.
bool vc_published_read(const vc_published *published, vc_snapshot *snapshot) VD_NONBLOCKING;

#endif
