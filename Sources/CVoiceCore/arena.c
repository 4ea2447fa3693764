#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/// Locks count whole pages; the block shares none with anybody.
#define PAGE_BYTES 4096

static size_t whole_pages(size_t bytes) {
  return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

void *vc_arena_create(size_t bytes, bool *is_locked) {
  void *arena = aligned_alloc(PAGE_BYTES, whole_pages(bytes));
  if (!arena)
    return NULL;
  memset(arena, 0, whole_pages(bytes));
  *is_locked = mlock(arena, whole_pages(bytes)) == 0;
  return arena;
}

void vc_arena_destroy(void *arena, size_t bytes) {
  if (!arena)
    return;
  // Harmless where it was not locked; the allocator may give the pages to anybody next.
  (void)munlock(arena, whole_pages(bytes));
  free(arena);
}
