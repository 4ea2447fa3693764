#include "voice_ring.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE_BYTES = 64 };

/// Most elements of a ring: far above any use here, low enough that no sum below can overflow.
static const size_t CAPACITY_MAX = (size_t)1 << 31;

/// What the producer writes. `read_seen` is its last look at the consumer's index, so that the
/// consumer's cache line is fetched only when the ring looks full.
typedef struct {
  _Atomic size_t write;
  size_t read_seen;
  _Atomic uint64_t dropped;
} producer_side;

/// What the consumer writes; `write_seen` likewise.
typedef struct {
  _Atomic size_t read;
  size_t write_seen;
} consumer_side;

struct vd_ring {
  unsigned char *elements;
  size_t element_bytes;
  size_t mask;
  // Indexes run freely and wrap with size_t; the capacity divides that range, so their difference
  // is always the fill.
  _Alignas(CACHE_LINE_BYTES) producer_side producer;
  _Alignas(CACHE_LINE_BYTES) consumer_side consumer;
};

_Static_assert(offsetof(struct vd_ring, producer) % CACHE_LINE_BYTES == 0, "own cache line");
_Static_assert(offsetof(struct vd_ring, consumer) % CACHE_LINE_BYTES == 0, "own cache line");
_Static_assert(offsetof(struct vd_ring, consumer) - offsetof(struct vd_ring, producer) >=
                   CACHE_LINE_BYTES,
               "producer and consumer share no cache line");
_Static_assert(sizeof(struct vd_ring) % CACHE_LINE_BYTES == 0, "no neighbour on the last line");
_Static_assert(ATOMIC_LONG_LOCK_FREE == 2, "indexes must be lock-free");

int vd_ring_create(vd_ring **out, size_t element_bytes, size_t capacity) {
  if (out == NULL || element_bytes == 0 || capacity == 0 || capacity > CAPACITY_MAX) {
    return -EINVAL;
  }
  *out = NULL;
  size_t rounded = 1;
  while (rounded < capacity) {
    rounded *= 2;
  }
  if (element_bytes > (SIZE_MAX - CACHE_LINE_BYTES) / rounded) {
    return -EINVAL;
  }
  vd_ring *ring = aligned_alloc(CACHE_LINE_BYTES, sizeof *ring);
  if (ring == NULL) {
    return -ENOMEM;
  }
  memset(ring, 0, sizeof *ring);
  const size_t bytes =
      (element_bytes * rounded + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
  ring->elements = aligned_alloc(CACHE_LINE_BYTES, bytes);
  if (ring->elements == NULL) {
    free(ring);
    return -ENOMEM;
  }
  // Touched now, so that the first use on a realtime thread takes no page fault.
  memset(ring->elements, 0, bytes);
  ring->element_bytes = element_bytes;
  ring->mask = rounded - 1;
  *out = ring;
  return 0;
}

void vd_ring_destroy(vd_ring *ring) {
  if (ring == NULL) {
    return;
  }
  (void)munlock(ring->elements, ring->element_bytes * (ring->mask + 1));
  free(ring->elements);
  free(ring);
}

int vd_ring_lock(vd_ring *ring) {
  return mlock(ring->elements, ring->element_bytes * (ring->mask + 1)) == 0 ? 0 : -errno;
}

size_t vd_ring_push(vd_ring *ring, const void *elements, size_t count) VD_NONBLOCKING {
  producer_side *own = &ring->producer;
  const size_t capacity = ring->mask + 1;
  const size_t write = atomic_load_explicit(&own->write, memory_order_relaxed);
  size_t room = capacity - (write - own->read_seen);
  if (room < count) {
    own->read_seen = atomic_load_explicit(&ring->consumer.read, memory_order_acquire);
    room = capacity - (write - own->read_seen);
  }
  assert(room <= capacity);
  const size_t taken = count < room ? count : room;
  if (taken < count) {
    const uint64_t dropped = atomic_load_explicit(&own->dropped, memory_order_relaxed);
    atomic_store_explicit(&own->dropped, dropped + (count - taken), memory_order_relaxed);
  }
  if (taken == 0) {
    return 0;
  }
  const size_t start = write & ring->mask;
  const size_t to_edge = capacity - start;
  const size_t first = taken < to_edge ? taken : to_edge;
  memcpy(ring->elements + start * ring->element_bytes, elements, first * ring->element_bytes);
  memcpy(ring->elements, (const unsigned char *)elements + first * ring->element_bytes,
         (taken - first) * ring->element_bytes);
  atomic_store_explicit(&own->write, write + taken, memory_order_release);
  return taken;
}

/// How many of `count` elements the consumer may remove, the first of them at `*read`.
static size_t removable(vd_ring *ring, size_t count, size_t *read) VD_NONBLOCKING {
  consumer_side *own = &ring->consumer;
  *read = atomic_load_explicit(&own->read, memory_order_relaxed);
  size_t waiting = own->write_seen - *read;
  if (waiting < count) {
    own->write_seen = atomic_load_explicit(&ring->producer.write, memory_order_acquire);
    waiting = own->write_seen - *read;
  }
  assert(waiting <= ring->mask + 1);
  return count < waiting ? count : waiting;
}

size_t vd_ring_pop(vd_ring *ring, void *out, size_t count) VD_NONBLOCKING {
  size_t read = 0;
  const size_t taken = removable(ring, count, &read);
  if (taken == 0) {
    return 0;
  }
  const size_t start = read & ring->mask;
  const size_t to_edge = ring->mask + 1 - start;
  const size_t first = taken < to_edge ? taken : to_edge;
  memcpy(out, ring->elements + start * ring->element_bytes, first * ring->element_bytes);
  memcpy((unsigned char *)out + first * ring->element_bytes, ring->elements,
         (taken - first) * ring->element_bytes);
  atomic_store_explicit(&ring->consumer.read, read + taken, memory_order_release);
  return taken;
}

size_t vd_ring_discard(vd_ring *ring, size_t count) VD_NONBLOCKING {
  size_t read = 0;
  const size_t taken = removable(ring, count, &read);
  atomic_store_explicit(&ring->consumer.read, read + taken, memory_order_release);
  return taken;
}

size_t vd_ring_fill(const vd_ring *ring) VD_NONBLOCKING {
  const size_t read = atomic_load_explicit(&ring->consumer.read, memory_order_acquire);
  const size_t write = atomic_load_explicit(&ring->producer.write, memory_order_acquire);
  const size_t fill = write - read;
  // A third thread may see a full ring's worth more: the consumer moved between the two looks.
  return fill <= ring->mask + 1 ? fill : ring->mask + 1;
}

size_t vd_ring_capacity(const vd_ring *ring) VD_NONBLOCKING {
  return ring->mask + 1;
}

uint64_t vd_ring_dropped(const vd_ring *ring) VD_NONBLOCKING {
  return atomic_load_explicit(&ring->producer.dropped, memory_order_relaxed);
}
