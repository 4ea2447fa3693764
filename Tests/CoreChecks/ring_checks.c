#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "failing_creation.h"
#include "packet_ring.h"
#include "snapshot.h"
#include "voice_ring.h"

// The queues between two threads: every state one by one on one thread, then two threads at once,
// which is the thread sanitizer's part.

enum { CAPACITY = 8, ELEMENT_BYTES_MAX = 24 };

/// Element number `value`: each of its bytes tells which element it belongs to.
static void write_element(unsigned char *element, size_t bytes, uint32_t value) {
  for (size_t b = 0; b < bytes; b++)
    element[b] = (unsigned char)(value * 7 + b);
}

static int is_element(const unsigned char *element, size_t bytes, uint32_t value) {
  for (size_t b = 0; b < bytes; b++) {
    if (element[b] != (unsigned char)(value * 7 + b))
      return 0;
  }
  return 1;
}

/// One ring in one state: `start` elements came and went, `fill` are in it; then `pushed` are
/// offered and `removed` taken or discarded. Result: what did not hold.
static int breaks_of_state(size_t bytes, size_t start, size_t fill, size_t pushed, size_t removed,
                           int discards) {
  vd_ring *ring = NULL;
  if (vd_ring_create(&ring, bytes, CAPACITY) != 0)
    return 1;
  unsigned char elements[(CAPACITY + 2) * ELEMENT_BYTES_MAX];
  unsigned char out[(CAPACITY + 2) * ELEMENT_BYTES_MAX];
  int breaks = 0;
  for (size_t i = 0; i < start; i++) {
    write_element(elements, bytes, 99);
    breaks += vd_ring_push(ring, elements, 1) != 1 || vd_ring_pop(ring, out, 1) != 1;
  }
  for (size_t i = 0; i < fill; i++)
    write_element(elements + i * bytes, bytes, (uint32_t)i);
  breaks += vd_ring_push(ring, elements, fill) != fill;
  for (size_t i = 0; i < pushed; i++)
    write_element(elements + i * bytes, bytes, (uint32_t)(fill + i));
  const size_t room = CAPACITY - fill;
  const size_t taken = pushed < room ? pushed : room;
  breaks += vd_ring_push(ring, elements, pushed) != taken;
  breaks += vd_ring_dropped(ring) != pushed - taken;
  breaks += vd_ring_fill(ring) != fill + taken;
  const size_t there = fill + taken < removed ? fill + taken : removed;
  memset(out, 0xEE, sizeof out);
  breaks += (discards ? vd_ring_discard(ring, removed) : vd_ring_pop(ring, out, removed)) != there;
  for (size_t i = 0; i < there && !discards; i++)
    breaks += !is_element(out + i * bytes, bytes, (uint32_t)i);
  // Nothing is written behind the last element that was there.
  breaks += !discards && there < CAPACITY + 2 && out[there * bytes] != 0xEE;
  breaks += vd_ring_fill(ring) != fill + taken - there;
  // The rest is what was left, in order.
  const size_t rest = fill + taken - there;
  breaks += vd_ring_pop(ring, out, CAPACITY + 2) != rest;
  for (size_t i = 0; i < rest; i++)
    breaks += !is_element(out + i * bytes, bytes, (uint32_t)(there + i));
  breaks += vd_ring_fill(ring) != 0;
  vd_ring_destroy(ring);
  return breaks;
}

CHECK_CASE(ring_keeps_order_at_every_fill_level_and_wrap) {
  static const size_t sizes[] = {1, 3, 4, 8, ELEMENT_BYTES_MAX};
  size_t states = 0;
  int breaks = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t start = 0; start < 2 * CAPACITY; start++) {
      for (size_t fill = 0; fill <= CAPACITY; fill++) {
        for (size_t pushed = 0; pushed <= CAPACITY + 2; pushed++) {
          for (size_t removed = 0; removed <= CAPACITY + 2; removed++, states += 2) {
            breaks += breaks_of_state(sizes[s], start, fill, pushed, removed, 0);
            breaks += breaks_of_state(sizes[s], start, fill, pushed, removed, 1);
          }
        }
      }
    }
  }
  CHECK(breaks == 0);
  (void)printf("    %zu states\n", states);
}

CHECK_CASE(ring_agrees_with_a_model_over_random_operations) {
  enum { OPERATIONS = 200000, WIDE = 64 };
  for (size_t capacity = 1; capacity <= 33; capacity++) {
    vd_ring *ring = NULL;
    CHECK(vd_ring_create(&ring, sizeof(uint32_t), capacity) == 0);
    const size_t rounded = vd_ring_capacity(ring);
    CHECK(rounded >= capacity && rounded < 2 * capacity && (rounded & (rounded - 1)) == 0);
    // The model: elements are numbers in a row, so two counters are all of it.
    uint32_t written = 0;
    uint32_t read = 0;
    uint64_t refused = 0;
    int breaks = 0;
    for (int i = 0; i < OPERATIONS / 33; i++) {
      uint32_t values[WIDE];
      const size_t count = checks_random_below(WIDE / 2);
      if (checks_random_below(2) == 0) {
        for (size_t v = 0; v < count; v++)
          values[v] = written + (uint32_t)v;
        const size_t taken = vd_ring_push(ring, values, count);
        const size_t room = rounded - (written - read);
        breaks += taken != (count < room ? count : room);
        written += (uint32_t)taken;
        refused += count - taken;
      } else {
        const size_t got = vd_ring_pop(ring, values, count);
        breaks += got != (count < written - read ? count : written - read);
        for (size_t v = 0; v < got; v++)
          breaks += values[v] != read + v;
        read += (uint32_t)got;
      }
      breaks += vd_ring_fill(ring) != written - read || vd_ring_dropped(ring) != refused;
    }
    CHECK(breaks == 0);
    vd_ring_destroy(ring);
  }
}

static int create_ring(void *unused) {
  (void)unused;
  vd_ring *ring = NULL;
  const int result = vd_ring_create(&ring, 4, 100);
  CHECK(result == 0 || ring == NULL);
  vd_ring_destroy(ring);
  return result;
}

CHECK_CASE(ring_without_memory_fails_cleanly_at_every_allocation) {
  CHECK(checks_fail_each_allocation("vd_ring_create", create_ring, NULL) == 2);
}

// ---- Two threads.

enum { STRESS_TOTAL = 150000 };

/// One end of a stress: chunks from its own sequence of random sizes, for checks_random is not for
/// two threads.
typedef struct {
  vd_ring *ring;
  uint32_t random;
  size_t chunk_max;
} stress_end;

static size_t next_chunk(stress_end *end) {
  end->random = end->random * 1664525u + 1013904223u;
  return 1 + (end->random >> 16) % end->chunk_max;
}

static void *push_all(void *argument) {
  stress_end *end = argument;
  uint32_t next = 0;
  while (next < STRESS_TOTAL) {
    uint32_t values[64];
    size_t count = next_chunk(end);
    if (count > STRESS_TOTAL - next)
      count = STRESS_TOTAL - next;
    for (size_t i = 0; i < count; i++)
      values[i] = next + (uint32_t)i;
    const size_t taken = vd_ring_push(end->ring, values, count);
    next += (uint32_t)taken;
    if (taken == 0)
      sched_yield();
  }
  return NULL;
}

static int breaks_of_stress(size_t capacity, size_t push_max, size_t pop_max) {
  vd_ring *ring = NULL;
  if (vd_ring_create(&ring, sizeof(uint32_t), capacity) != 0)
    return 1;
  stress_end pusher = {.ring = ring, .random = 1, .chunk_max = push_max};
  stress_end popper = {.ring = ring, .random = 2, .chunk_max = pop_max};
  pthread_t producer;
  if (pthread_create(&producer, NULL, push_all, &pusher) != 0)
    return 1;
  uint32_t expected = 0;
  int breaks = 0;
  while (expected < STRESS_TOTAL) {
    uint32_t values[64];
    const size_t count = vd_ring_pop(ring, values, next_chunk(&popper));
    breaks += vd_ring_fill(ring) > vd_ring_capacity(ring);
    for (size_t i = 0; i < count; i++)
      breaks += values[i] != expected + i;
    expected += (uint32_t)count;
    if (count == 0)
      sched_yield();
  }
  breaks += pthread_join(producer, NULL) != 0;
  breaks += vd_ring_fill(ring) != 0;
  vd_ring_destroy(ring);
  return breaks;
}

CHECK_CASE(ring_hands_every_element_over_in_order_between_two_threads) {
  CHECK(breaks_of_stress(1, 1, 1) == 0);
  CHECK(breaks_of_stress(2, 3, 1) == 0);
  CHECK(breaks_of_stress(64, 7, 11) == 0);
  CHECK(breaks_of_stress(64, 64, 64) == 0);
}

static vd_packet make_packet(uint32_t number) {
  vd_packet packet = {.sequence = number, .kind = VD_PACKET_OPUS};
  packet.bytes = (uint16_t)(number * 131 % (VD_PACKET_PAYLOAD_MAX + 1));
  for (size_t i = 0; i < packet.bytes; i++)
    packet.payload[i] = (uint8_t)(number + i);
  return packet;
}

static void *push_packets(void *argument) {
  packet_ring *ring = argument;
  for (uint32_t number = 0; number < STRESS_TOTAL / 30;) {
    const vd_packet packet = make_packet(number);
    if (mt_packet_ring_push(ring, &packet))
      number++;
    else
      sched_yield();
  }
  return NULL;
}

CHECK_CASE(packets_cross_between_two_threads_whole_and_in_order) {
  packet_ring ring = {0};
  CHECK(mt_packet_ring_create(&ring, 4096) == 0);
  pthread_t producer;
  CHECK(pthread_create(&producer, NULL, push_packets, &ring) == 0);
  int breaks = 0;
  for (uint32_t number = 0; number < STRESS_TOTAL / 30;) {
    vd_packet packet;
    if (!mt_packet_ring_pop(&ring, &packet)) {
      sched_yield();
      continue;
    }
    const vd_packet wanted = make_packet(number++);
    breaks += packet.sequence != wanted.sequence || packet.bytes != wanted.bytes ||
              memcmp(packet.payload, wanted.payload, wanted.bytes) != 0;
  }
  CHECK(pthread_join(producer, NULL) == 0);
  CHECK(breaks == 0);
  mt_packet_ring_destroy(&ring);
}

static void *publish(void *argument) {
  vc_published *published = argument;
  for (uint64_t i = 1; i <= STRESS_TOTAL; i++) {
    vc_snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    snapshot.playout.now_frame = i;
    snapshot.counters.blocks = i;
    vc_publish(published, &snapshot);
  }
  return NULL;
}

CHECK_CASE(a_reader_never_sees_half_a_snapshot) {
  static vc_published published;
  pthread_t writer;
  CHECK(pthread_create(&writer, NULL, publish, &published) == 0);
  uint64_t last = 0;
  int torn = 0;
  while (last < STRESS_TOTAL) {
    vc_snapshot seen;
    // This writer never rests, so a reader may be overtaken until it gives up.
    if (!vc_published_read(&published, &seen))
      continue;
    torn += seen.playout.now_frame != seen.counters.blocks || seen.counters.blocks < last;
    last = seen.counters.blocks;
  }
  CHECK(pthread_join(writer, NULL) == 0);
  CHECK(torn == 0);
}
