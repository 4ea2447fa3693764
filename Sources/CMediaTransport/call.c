#include <errno.h>

#include "plane.h"

enum { RATE_HZ_MIN = 8000, RATE_HZ_MAX = 48000 };

int mt_call_receive(mt_call *call, const vd_packet *packet) {
  if (packet->kind != VD_PACKET_OPUS || packet->bytes == 0 ||
      packet->bytes > VD_PACKET_PAYLOAD_MAX) {
    call->receive_dropped += 1;
    return -EINVAL;
  }
  if (!mt_packet_ring_push(&call->up.received, packet)) {
    call->receive_dropped += 1;
    return -ENOBUFS;
  }
  call->packets_received += 1;
  mt_plane_wake(call->plane);
  return 0;
}

size_t mt_call_take_hearing(mt_call *call, mt_hearing *out, size_t capacity) {
  const size_t taken = vd_ring_pop(call->up.heard, out, capacity);
  mt_plane_settle(call->plane, taken);
  return taken;
}

/// The way down, made with the first speech. Result: NULL when there is no memory for it.
static downlink *way_down(mt_call *call, int rate_hz) {
  downlink *down = atomic_load_explicit(&call->down, memory_order_relaxed);
  if (down != NULL) {
    return down;
  }
  if (mt_downlink_create(&down, &call->plane->config, rate_hz) != 0) {
    return NULL;
  }
  atomic_store(&down->next_generation, call->next_generation);
  atomic_store_explicit(&call->down, down, memory_order_release);
  return down;
}

size_t mt_call_speak(mt_call *call, uint32_t generation, int rate_hz, const int16_t *samples,
                     size_t count) {
  if (generation < call->next_generation) {
    // Late words of a flushed generation are taken and forgotten, so that nobody offers them again.
    return count;
  }
  size_t taken = 0;
  if (rate_hz >= RATE_HZ_MIN && rate_hz <= RATE_HZ_MAX) {
    downlink *down = way_down(call, rate_hz);
    if (down != NULL) {
      taken = mt_speech_queue_push(&down->queue, generation, rate_hz, samples, count);
    }
  }
  call->speech_refused += count - taken;
  if (taken > 0) {
    mt_plane_wake(call->plane);
  }
  return taken;
}

int mt_call_speak_end(mt_call *call, uint32_t generation) {
  if (generation < call->next_generation) {
    return 0;
  }
  downlink *down = way_down(call, RATE_HZ_MAX);
  if (down == NULL) {
    return -ENOMEM;
  }
  const int result = mt_speech_queue_push_end(&down->queue, generation);
  mt_plane_wake(call->plane);
  return result;
}

void mt_call_flush(mt_call *call, uint32_t next_generation) {
  if (next_generation <= call->next_generation) {
    return;
  }
  call->next_generation = next_generation;
  downlink *down = atomic_load_explicit(&call->down, memory_order_relaxed);
  if (down != NULL) {
    atomic_store_explicit(&down->next_generation, next_generation, memory_order_release);
    mt_plane_wake(call->plane);
  }
}

size_t mt_call_take_packets(mt_call *call, vd_packet *out, size_t capacity) {
  downlink *down = atomic_load_explicit(&call->down, memory_order_relaxed);
  size_t removed = 0;
  size_t taken = 0;
  while (down != NULL && taken < capacity && mt_packet_ring_pop(&down->outgoing, &out[taken])) {
    removed += 1;
    // The media thread may have sent some before it saw the flush.
    taken += out[taken].generation >= call->next_generation;
  }
  call->packets_sent += taken;
  mt_plane_settle(call->plane, removed);
  return taken;
}

mt_counters mt_call_counters(const mt_call *call) {
  const downlink *down = atomic_load_explicit(&call->down, memory_order_relaxed);
  return (mt_counters){
      .packets_received = call->packets_received,
      .packets_lost = atomic_load_explicit(&call->up.packets_lost, memory_order_relaxed),
      .packets_late = atomic_load_explicit(&call->up.packets_late, memory_order_relaxed),
      .packets_sent = call->packets_sent,
      .receive_dropped = call->receive_dropped,
      .hearing_dropped = atomic_load_explicit(&call->up.hearing_dropped, memory_order_relaxed),
      .speech_refused = call->speech_refused,
      .outgoing_stalled =
          down == NULL ? 0 : atomic_load_explicit(&down->outgoing_stalled, memory_order_relaxed),
  };
}
