#include "packet_ring.h"

#include <assert.h>

enum { HEADER_BYTES = offsetof(vd_packet, payload) };

_Static_assert(HEADER_BYTES == 20, "the header has no padding");
_Static_assert(sizeof(vd_packet) == HEADER_BYTES + VD_PACKET_PAYLOAD_MAX, "nor has the whole");

int mt_packet_ring_create(packet_ring *ring, size_t capacity_bytes) {
  return vd_ring_create(&ring->bytes, 1, capacity_bytes);
}

void mt_packet_ring_destroy(packet_ring *ring) {
  vd_ring_destroy(ring->bytes);
  ring->bytes = NULL;
}

int mt_packet_ring_push(packet_ring *ring, const vd_packet *packet) VD_NONBLOCKING {
  assert(packet->bytes <= VD_PACKET_PAYLOAD_MAX);
  const size_t size = HEADER_BYTES + packet->bytes;
  if (vd_ring_capacity(ring->bytes) - vd_ring_fill(ring->bytes) < size) {
    return 0;
  }
  // One push publishes the whole record, so the consumer never meets half a packet.
  return vd_ring_push(ring->bytes, packet, size) == size;
}

int mt_packet_ring_has_room(const packet_ring *ring, size_t count) VD_NONBLOCKING {
  return vd_ring_capacity(ring->bytes) - vd_ring_fill(ring->bytes) >= count * sizeof(vd_packet);
}

int mt_packet_ring_pop(packet_ring *ring, vd_packet *out) VD_NONBLOCKING {
  if (vd_ring_pop(ring->bytes, out, HEADER_BYTES) == 0) {
    return 0;
  }
  const size_t got = vd_ring_pop(ring->bytes, out->payload, out->bytes);
  assert(got == out->bytes);
  return got == out->bytes;
}
