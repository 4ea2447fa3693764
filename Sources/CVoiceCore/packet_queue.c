#include "packet_queue.h"

#include <string.h>

/// Order of two packets; sequences wrap, so their distance decides.
static int compare(const vd_packet *left, const vd_packet *right) {
  if (left->generation != right->generation)
    return left->generation < right->generation ? -1 : 1;
  int32_t distance = (int32_t)(left->sequence - right->sequence);
  return distance < 0 ? -1 : distance > 0;
}

void vc_packet_queue_clear(vc_packet_queue *queue) VD_NONBLOCKING {
  queue->count = 0;
  for (size_t i = 0; i < VC_QUEUE_PACKETS; i++)
    queue->unused[i] = (uint16_t)i;
}

vc_queue_result vc_packet_queue_insert(vc_packet_queue *queue,
                                       const vd_packet *packet) VD_NONBLOCKING {
  if (queue->count == VC_QUEUE_PACKETS)
    return VC_QUEUE_FULL;
  // Packets nearly always come in order, so the search begins at the end.
  size_t rank = queue->count;
  while (rank > 0) {
    int order = compare(&queue->slots[queue->order[rank - 1]], packet);
    if (order == 0)
      return VC_QUEUE_DUPLICATE;
    if (order < 0)
      break;
    rank--;
  }
  uint16_t slot = queue->unused[VC_QUEUE_PACKETS - 1 - queue->count];
  memmove(&queue->order[rank + 1], &queue->order[rank],
          (queue->count - rank) * sizeof queue->order[0]);
  queue->order[rank] = slot;
  queue->slots[slot] = *packet;
  queue->count++;
  return VC_QUEUED;
}

const vd_packet *vc_packet_queue_head(const vc_packet_queue *queue) VD_NONBLOCKING {
  return queue->count ? &queue->slots[queue->order[0]] : NULL;
}

void vc_packet_queue_remove_head(vc_packet_queue *queue) VD_NONBLOCKING {
  if (queue->count == 0)
    return;
  uint16_t slot = queue->order[0];
  queue->count--;
  memmove(&queue->order[0], &queue->order[1], queue->count * sizeof queue->order[0]);
  queue->unused[VC_QUEUE_PACKETS - 1 - queue->count] = slot;
}

size_t vc_packet_queue_drop_below(vc_packet_queue *queue, uint32_t generation) VD_NONBLOCKING {
  size_t dropped = 0;
  while (queue->count && queue->slots[queue->order[0]].generation < generation) {
    vc_packet_queue_remove_head(queue);
    dropped++;
  }
  return dropped;
}

bool vc_packet_queue_is_ready(const vc_packet_queue *queue, size_t count) VD_NONBLOCKING {
  const vd_packet *head = vc_packet_queue_head(queue);
  if (!head)
    return false;
  size_t held = 0;
  for (size_t rank = 0; rank < queue->count; rank++) {
    const vd_packet *packet = &queue->slots[queue->order[rank]];
    if (packet->generation != head->generation)
      return true; // The next generation waits: nothing more of this one is to be hoped for.
    if (++held >= count || packet->kind == VD_PACKET_END)
      return true;
  }
  return false;
}
