#include "snapshot.h"

#include <string.h>

void vc_publish(vc_published *published, const vc_snapshot *snapshot) VD_NONBLOCKING {
  uint64_t words[VC_SNAPSHOT_WORDS] = {0};
  memcpy(words, snapshot, sizeof *snapshot);
  uint32_t version = atomic_load_explicit(&published->version, memory_order_relaxed);
  atomic_store_explicit(&published->version, version + 1, memory_order_relaxed);
  // Each word is released after the odd version and the even version after each word, so a reader
  // that saw a new word cannot miss the odd version.
  for (size_t i = 0; i < VC_SNAPSHOT_WORDS; i++)
    atomic_store_explicit(&published->words[i], words[i], memory_order_release);
  atomic_store_explicit(&published->version, version + 2, memory_order_release);
}

void vc_published_read(const vc_published *published, vc_snapshot *snapshot) {
  uint64_t words[VC_SNAPSHOT_WORDS];
  uint32_t before, after;
  do {
    before = atomic_load_explicit(&published->version, memory_order_acquire);
    for (size_t i = 0; i < VC_SNAPSHOT_WORDS; i++)
      words[i] = atomic_load_explicit(&published->words[i], memory_order_acquire);
    after = atomic_load_explicit(&published->version, memory_order_relaxed);
  } while (before != after || before & 1);
  memcpy(snapshot, words, sizeof *snapshot);
}
