#ifndef PACKET_RING_H
#define PACKET_RING_H

#include <stddef.h>

#include "voice_packet.h"
#include "voice_ring.h"

/// A bounded queue of packets between two threads that stores only the bytes a packet uses: a
/// packet of speech takes about 100 bytes of the 1,296 it may have.
typedef struct {
  vd_ring *bytes;
} packet_ring;

int mt_packet_ring_create(packet_ring *ring, size_t capacity_bytes);
void mt_packet_ring_destroy(packet_ring *ring);
/// Appends a packet whole. Result: 1, or 0 when there is no room. Role: producer.
int mt_packet_ring_push(packet_ring *ring, const vd_packet *packet) VD_NONBLOCKING;
/// Whether `count` packets of the longest kind would fit. Role: producer.
int mt_packet_ring_has_room(const packet_ring *ring, size_t count) VD_NONBLOCKING;
/// Removes the oldest packet. Result: 1, or 0 when empty. Role: consumer.
int mt_packet_ring_pop(packet_ring *ring, vd_packet *out) VD_NONBLOCKING;

#endif
