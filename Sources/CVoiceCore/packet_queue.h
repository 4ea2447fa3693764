#ifndef VC_PACKET_QUEUE_H
#define VC_PACKET_QUEUE_H

#include <stdbool.h>

#include "voice_core.h"

/// Packets in the order of generation, then sequence; VC_QUEUE_PACKETS at most.
typedef struct {
  vd_packet slots[VC_QUEUE_PACKETS];
  uint16_t order[VC_QUEUE_PACKETS]; ///< slots by rank
  uint16_t unused[VC_QUEUE_PACKETS];
  size_t count;
} vc_packet_queue;

/// What became of an offered packet.
typedef enum { VC_QUEUED, VC_QUEUE_FULL, VC_QUEUE_DUPLICATE } vc_queue_result;

void vc_packet_queue_clear(vc_packet_queue *queue) VD_NONBLOCKING;
vc_queue_result vc_packet_queue_insert(vc_packet_queue *queue,
                                       const vd_packet *packet) VD_NONBLOCKING;
/// The packet that is due next, or NULL. Valid until the queue changes.
const vd_packet *vc_packet_queue_head(const vc_packet_queue *queue) VD_NONBLOCKING;
void vc_packet_queue_remove_head(vc_packet_queue *queue) VD_NONBLOCKING;
/// Drops the packets of generations below `generation`; returns how many.
size_t vc_packet_queue_drop_below(vc_packet_queue *queue, uint32_t generation) VD_NONBLOCKING;
/// Whether the head's generation holds `count` packets or its end.
bool vc_packet_queue_is_ready(const vc_packet_queue *queue, size_t count) VD_NONBLOCKING;

#endif
