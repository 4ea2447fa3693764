#include "snapshot.h"

#include <string.h>

void vc_publish(vc_published *published, const vc_snapshot *snapshot) VD_NONBLOCKING {
  uint64_t words[VC_SNAPSHOT_WORDS] = {0};
  memcpy(words, snapshot, sizeof *snapshot);
  uint32_t next = atomic_load_explicit(&published->complete, memory_order_relaxed) + 1;
  _Atomic uint64_t *slot = published->words[next % VC_SNAPSHOT_SLOTS];
  atomic_store_explicit(&published->begun, next, memory_order_relaxed);
  // Each word is released after the beginning, so a reader that saw a new word sees that too.
  for (size_t i = 0; i < VC_SNAPSHOT_WORDS; i++)
    atomic_store_explicit(&slot[i], words[i], memory_order_release);
  atomic_store_explicit(&published->complete, next, memory_order_release);
}

bool vc_published_read(const vc_published *published, vc_snapshot *snapshot) VD_NONBLOCKING {
  uint64_t words[VC_SNAPSHOT_WORDS];
  bool is_whole = false;
  for (int attempt = 0; attempt < VC_SNAPSHOT_ATTEMPTS && !is_whole; attempt++) {
    uint32_t newest = atomic_load_explicit(&published->complete, memory_order_acquire);
    const _Atomic uint64_t *slot = published->words[newest % VC_SNAPSHOT_SLOTS];
    for (size_t i = 0; i < VC_SNAPSHOT_WORDS; i++)
      words[i] = atomic_load_explicit(&slot[i], memory_order_acquire);
    uint32_t begun = atomic_load_explicit(&published->begun, memory_order_relaxed);
    is_whole = begun - newest < VC_SNAPSHOT_SLOTS;
  }
  memcpy(snapshot, words, sizeof *snapshot);
  return is_whole;
}
