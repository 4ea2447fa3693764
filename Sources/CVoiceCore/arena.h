#ifndef VC_ARENA_H
#define VC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/// Makes a block of memory for the audio thread: zeroed, so that each of its pages is there, and
/// locked where that is permitted.
/// - is_locked: receives whether it is; RLIMIT_MEMLOCK may forbid it.
/// Result: NULL when there is no memory. Role: any.
void *vc_arena_create(size_t bytes, bool *is_locked);
/// NULL is allowed.
void vc_arena_destroy(void *arena, size_t bytes);

#endif
