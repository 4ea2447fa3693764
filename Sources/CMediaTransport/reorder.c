#include "reorder.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

reorder_verdict mt_reorder_judge(const reorder *order, uint32_t sequence) VD_NONBLOCKING {
  if (!order->has_begun) {
    return REORDER_RESTART;
  }
  // Serial number arithmetic: right over the wrap of the counter.
  const int32_t distance = (int32_t)(sequence - order->expected);
  if (distance > REORDER_RESTART_DISTANCE || distance < -REORDER_RESTART_DISTANCE) {
    return REORDER_RESTART;
  }
  if (distance < 0) {
    return REORDER_LATE;
  }
  if (distance >= REORDER_WINDOW) {
    return REORDER_BEYOND;
  }
  return order->is_held[sequence % REORDER_WINDOW] ? REORDER_LATE : REORDER_FITS;
}

int mt_reorder_note_late(reorder *order, uint32_t sequence) VD_NONBLOCKING {
  const int follows = order->late_run > 0 && sequence == order->late_next;
  order->late_run = follows ? order->late_run + 1 : 1;
  order->late_next = sequence + 1;
  return order->late_run >= REORDER_LATE_RUN;
}

void mt_reorder_put(reorder *order, const vd_packet *packet) VD_NONBLOCKING {
  const uint32_t slot = packet->sequence % REORDER_WINDOW;
  assert(!order->is_held[slot]);
  memcpy(&order->held[slot], packet, offsetof(vd_packet, payload) + packet->bytes);
  order->is_held[slot] = 1;
  order->late_run = 0;
}

void mt_reorder_restart(reorder *order, uint32_t sequence) VD_NONBLOCKING {
  memset(order->is_held, 0, sizeof order->is_held);
  order->expected = sequence;
  order->has_begun = 1;
}

int mt_reorder_is_ready(const reorder *order) VD_NONBLOCKING {
  return order->is_held[order->expected % REORDER_WINDOW];
}

int mt_reorder_holds_any(const reorder *order) VD_NONBLOCKING {
  int held = 0;
  for (size_t slot = 0; slot < REORDER_WINDOW; slot++) {
    held |= order->is_held[slot];
  }
  return held;
}

const vd_packet *mt_reorder_advance(reorder *order) VD_NONBLOCKING {
  const uint32_t slot = order->expected % REORDER_WINDOW;
  order->expected += 1;
  if (!order->is_held[slot]) {
    return NULL;
  }
  order->is_held[slot] = 0;
  return &order->held[slot];
}
