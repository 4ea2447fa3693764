#include "plane.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CALLS_MAX = 4096 };

static int config_is_valid(const mt_config *config) {
  return config->calls_max >= 1 && config->calls_max <= CALLS_MAX && config->lead_first_ms >= 20 &&
         config->lead_first_ms <= config->lead_ms && config->lead_ms <= 5000;
}

int mt_plane_create(mt_plane **out, const mt_config *config) {
  if (out == NULL || config == NULL || !config_is_valid(config)) {
    return -EINVAL;
  }
  *out = NULL;
  mt_plane *plane = calloc(1, sizeof *plane);
  if (plane == NULL) {
    return -ENOMEM;
  }
  plane->config = *config;
  plane->wake = -1;
  plane->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (plane->ready >= 0) {
    plane->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  if (plane->wake < 0) {
    const int error = -errno;
    mt_plane_destroy(plane);
    return error;
  }
  plane->slots = calloc(config->calls_max, sizeof *plane->slots);
  if (plane->slots == NULL) {
    mt_plane_destroy(plane);
    return -ENOMEM;
  }
  *out = plane;
  return 0;
}

static void destroy_call(mt_call *call) {
  mt_uplink_deinit(&call->up);
  mt_downlink_destroy(atomic_load(&call->down));
  free(call);
}

void mt_plane_destroy(mt_plane *plane) {
  if (plane == NULL) {
    return;
  }
  mt_plane_stop(plane);
  const uint32_t used = atomic_load(&plane->slots_used);
  for (uint32_t slot = 0; slot < used; slot++) {
    if (atomic_load(&plane->slots[slot].state) != SLOT_EMPTY) {
      destroy_call(plane->slots[slot].call);
    }
  }
  free(plane->slots);
  if (plane->ready >= 0) {
    (void)close(plane->ready);
  }
  if (plane->wake >= 0) {
    (void)close(plane->wake);
  }
  free(plane);
}

void mt_plane_step(mt_plane *plane, int64_t now_ns) VD_NONBLOCKING {
  int is_active = 0;
  size_t pushed = 0;
  const uint32_t used = atomic_load_explicit(&plane->slots_used, memory_order_acquire);
  for (uint32_t slot = 0; slot < used; slot++) {
    call_slot *place = &plane->slots[slot];
    const int state = atomic_load_explicit(&place->state, memory_order_acquire);
    if (state == SLOT_CLOSING) {
      atomic_store_explicit(&place->state, SLOT_CLOSED, memory_order_release);
    }
    if (state != SLOT_OPEN) {
      continue;
    }
    mt_call *call = place->call;
    pushed += mt_uplink_step(&call->up, &plane->pending);
    is_active |= mt_uplink_is_stalled(&call->up);
    downlink *down = atomic_load_explicit(&call->down, memory_order_acquire);
    if (down != NULL) {
      pushed += mt_downlink_step(down, now_ns, &plane->pending);
      is_active |= mt_downlink_is_speaking(down);
    }
  }
  plane->is_active = is_active;
  plane->pushed = pushed;
}

int mt_plane_descriptor(const mt_plane *plane) {
  return plane->ready;
}

void mt_plane_settle(mt_plane *plane, size_t taken) {
  const size_t before = atomic_fetch_sub(&plane->pending, taken);
  assert(before >= taken);
  if (before > taken || !atomic_exchange(&plane->is_ready, 0)) {
    return;
  }
  uint64_t value = 0;
  // EAGAIN only says that somebody read it already.
  (void)!read(plane->ready, &value, sizeof value);
  // The media thread may have pushed and announced between the two; its word must stand.
  if (atomic_load(&plane->pending) > 0) {
    mt_plane_announce(plane);
  }
}

void mt_plane_reap(mt_plane *plane) {
  const uint32_t used = atomic_load(&plane->slots_used);
  for (uint32_t slot = 0; slot < used; slot++) {
    call_slot *place = &plane->slots[slot];
    if (atomic_load_explicit(&place->state, memory_order_acquire) != SLOT_CLOSED) {
      continue;
    }
    mt_call *call = place->call;
    size_t left = vd_ring_fill(call->up.heard);
    downlink *down = atomic_load(&call->down);
    vd_packet packet;
    while (down != NULL && mt_packet_ring_pop(&down->outgoing, &packet)) {
      left += 1;
    }
    mt_plane_settle(plane, left);
    destroy_call(call);
    place->call = NULL;
    atomic_store_explicit(&place->state, SLOT_EMPTY, memory_order_relaxed);
  }
}

static uint32_t find_empty_slot(const mt_plane *plane) {
  uint32_t slot = 0;
  while (slot < plane->config.calls_max &&
         atomic_load_explicit(&plane->slots[slot].state, memory_order_relaxed) != SLOT_EMPTY) {
    slot += 1;
  }
  return slot;
}

int mt_call_open(mt_plane *plane, mt_call **out) {
  *out = NULL;
  mt_plane_reap(plane);
  const uint32_t slot = find_empty_slot(plane);
  if (slot == plane->config.calls_max) {
    return -ENOSPC;
  }
  mt_call *call = calloc(1, sizeof *call);
  if (call == NULL) {
    return -ENOMEM;
  }
  call->plane = plane;
  call->slot = slot;
  const int result = mt_uplink_init(&call->up, plane->config.vad_weights);
  if (result != 0) {
    destroy_call(call);
    return result;
  }
  plane->slots[slot].call = call;
  atomic_store_explicit(&plane->slots[slot].state, SLOT_OPEN, memory_order_release);
  if (slot >= atomic_load(&plane->slots_used)) {
    atomic_store_explicit(&plane->slots_used, slot + 1, memory_order_release);
  }
  *out = call;
  return 0;
}

void mt_call_close(mt_call *call) {
  if (call == NULL) {
    return;
  }
  mt_plane *plane = call->plane;
  atomic_store_explicit(&plane->slots[call->slot].state, SLOT_CLOSING, memory_order_release);
  mt_plane_wake(plane);
}
