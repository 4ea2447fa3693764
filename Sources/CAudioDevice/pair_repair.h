#ifndef AD_PAIR_REPAIR_H
#define AD_PAIR_REPAIR_H

#include "pair_loop.h"

/// Looks at both directions and carries out what `pair_recovery.h` says, until there is nothing
/// more to do at this moment.
/// - can_read: whether the microphone runs.
/// Result: whether the device is there; else `lost_reason` is written.
bool ad_pair_repair(ad_pair_loop *loop, bool *can_read) VD_NONBLOCKING;
/// Puts silence ahead of the core's next block. Result: the frames, or a negative errno.
long ad_pair_insert_silence(ad_pair_loop *loop, uint32_t frames) VD_NONBLOCKING;

#endif
