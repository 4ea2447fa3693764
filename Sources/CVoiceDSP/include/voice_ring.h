#ifndef VOICE_RING_H
#define VOICE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// A bounded single-producer, single-consumer queue of fixed-size elements. Policy at the bound:
/// the newest elements are refused and counted; nothing ever grows or waits.
typedef struct vd_ring vd_ring;

/// Creates a ring.
/// - out: receives the ring.
/// - element_bytes: size of one element, 1 or more.
/// - capacity: elements held at most; rounded up to a power of two.
/// Result: 0, or -ENOMEM, -EINVAL. Role: any; allocates.
int vd_ring_create(vd_ring **out, size_t element_bytes, size_t capacity);
/// Destroys a ring; NULL is allowed. Role: any, after both sides have stopped.
void vd_ring_destroy(vd_ring *ring);
/// Keeps the ring's memory from being paged out. Result: 0, or a negative errno where that is not
/// permitted. Role: any.
int vd_ring_lock(vd_ring *ring);
/// Appends up to `count` elements; returns how many were taken, the rest are counted as dropped.
/// Role: producer.
size_t vd_ring_push(vd_ring *ring, const void *elements, size_t count) VD_NONBLOCKING;
/// Removes up to `count` elements into `out`; returns how many. Role: consumer.
size_t vd_ring_pop(vd_ring *ring, void *out, size_t count) VD_NONBLOCKING;
/// Removes up to `count` elements unseen; returns how many. Role: consumer.
size_t vd_ring_discard(vd_ring *ring, size_t count) VD_NONBLOCKING;
/// Elements waiting. Role: any; the consumer can take at least so many, for the producer at most so
/// many are left.
size_t vd_ring_fill(const vd_ring *ring) VD_NONBLOCKING;
/// Elements the ring holds at most. Role: any.
size_t vd_ring_capacity(const vd_ring *ring) VD_NONBLOCKING;
/// Elements refused since creation. Role: any.
uint64_t vd_ring_dropped(const vd_ring *ring) VD_NONBLOCKING;

VD_END_DECLS

#endif
