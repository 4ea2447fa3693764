// The reference of ring_ratio: the known design with both indices cached on the other side, and
// the course that both rings run.
#include "bench_native.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define CACHE_LINE 64

struct hand_ring {
  _Alignas(CACHE_LINE) _Atomic size_t head;
  size_t cached_tail;
  _Alignas(CACHE_LINE) _Atomic size_t tail;
  size_t cached_head;
  _Alignas(CACHE_LINE) size_t mask;
  uint64_t *slots;
};

hand_ring *hand_ring_create(size_t capacity) {
  hand_ring *ring = aligned_alloc(CACHE_LINE, sizeof *ring);
  uint64_t *slots = calloc(capacity, sizeof *slots);
  if (!ring || !slots) {
    free(ring);
    free(slots);
    return NULL;
  }
  *ring = (hand_ring){.mask = capacity - 1, .slots = slots};
  return ring;
}

void hand_ring_destroy(hand_ring *ring) {
  if (ring)
    free(ring->slots);
  free(ring);
}

int hand_ring_push(hand_ring *ring, uint64_t value) {
  size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  if (head - ring->cached_tail > ring->mask) {
    ring->cached_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - ring->cached_tail > ring->mask)
      return 0;
  }
  ring->slots[head & ring->mask] = value;
  atomic_store_explicit(&ring->head, head + 1, memory_order_release);
  return 1;
}

int hand_ring_pop(hand_ring *ring, uint64_t *value) {
  size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  if (tail == ring->cached_head) {
    ring->cached_head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (tail == ring->cached_head)
      return 0;
  }
  *value = ring->slots[tail & ring->mask];
  atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
  return 1;
}

typedef struct {
  void *ring;
  ring_push push;
  uint64_t count;
} producer;

static void *produce(void *argument) {
  const producer *job = argument;
  for (uint64_t i = 0; i < job->count;)
    i += job->push(job->ring, i) != 0;
  return NULL;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double ring_cross_core_ns(void *ring, ring_push push, ring_pop pop, uint64_t count) {
  producer job = {.ring = ring, .push = push, .count = count};
  pthread_t thread;
  double begun = now_ns();
  if (pthread_create(&thread, NULL, produce, &job))
    return -1;
  uint64_t value, wrong = 0;
  for (uint64_t i = 0; i < count;)
    if (pop(ring, &value))
      wrong += value != i++;
  pthread_join(thread, NULL);
  return wrong ? -1 : (now_ns() - begun) / (double)count;
}
