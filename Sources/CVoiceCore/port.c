#include "voice_port.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "voice_ring.h"

struct vc_port {
  vc_core *core;
  vd_ring *packets_in;
  vd_ring *packets_out;
  vd_ring *events_out;
  vd_ring *recorded; ///< NULL until the first recording; the device looks only while it `records`
  // States rather than commands: no queue between can be too full for them.
  _Atomic uint32_t flush_below;
  _Atomic uint32_t releases;
  _Atomic int muted;
  _Atomic int records;
  bool is_locked;
  vd_packet received[VC_PACKETS_IN_MAX];
  vc_output output;
  vc_heard heard;
};

static int create_queues(vc_port *port) {
  int result = vd_ring_create(&port->packets_in, sizeof(vd_packet), VC_QUEUE_PACKETS);
  if (result == 0)
    result = vd_ring_create(&port->packets_out, sizeof(vd_packet), VC_PORT_UPLINK_PACKETS);
  if (result == 0)
    result = vd_ring_create(&port->events_out, sizeof(vc_event), VC_PORT_EVENTS);
  return result;
}

int vc_port_create(vc_port **out, const vc_config *config) {
  bool is_locked = false;
  vc_port *port = vc_arena_create(sizeof *port, &is_locked);
  if (!port)
    return -ENOMEM;
  int result = vc_core_create(&port->core, config);
  if (result == 0)
    result = create_queues(port);
  if (result < 0) {
    vc_port_destroy(port);
    return result;
  }
  // Best effort, one after the other: what may be locked is.
  is_locked &= vd_ring_lock(port->packets_in) == 0;
  is_locked &= vd_ring_lock(port->packets_out) == 0;
  is_locked &= vd_ring_lock(port->events_out) == 0;
  port->is_locked = is_locked && vc_core_is_locked(port->core);
  *out = port;
  return 0;
}

void vc_port_destroy(vc_port *port) {
  if (!port)
    return;
  vc_core_destroy(port->core);
  vd_ring_destroy(port->packets_in);
  vd_ring_destroy(port->packets_out);
  vd_ring_destroy(port->events_out);
  vd_ring_destroy(port->recorded);
  vc_arena_destroy(port, sizeof *port);
}

int vc_port_is_locked(const vc_port *port) {
  return port->is_locked;
}

int vc_port_send(vc_port *port, const vd_packet *packet) VD_NONBLOCKING {
  return vd_ring_push(port->packets_in, packet, 1) == 1;
}

void vc_port_flush(vc_port *port, uint32_t generation) VD_NONBLOCKING {
  if (generation > atomic_load_explicit(&port->flush_below, memory_order_relaxed))
    atomic_store_explicit(&port->flush_below, generation, memory_order_release);
}

void vc_port_release(vc_port *port) VD_NONBLOCKING {
  atomic_fetch_add_explicit(&port->releases, 1, memory_order_release);
}

void vc_port_set_muted(vc_port *port, int muted) VD_NONBLOCKING {
  atomic_store_explicit(&port->muted, muted != 0, memory_order_release);
}

int vc_port_is_muted(const vc_port *port) VD_NONBLOCKING {
  return atomic_load_explicit(&port->muted, memory_order_acquire);
}

size_t vc_port_take_packets(vc_port *port, vd_packet *out, size_t capacity) VD_NONBLOCKING {
  return vd_ring_pop(port->packets_out, out, capacity);
}

size_t vc_port_take_events(vc_port *port, vc_event *out, size_t capacity) VD_NONBLOCKING {
  return vd_ring_pop(port->events_out, out, capacity);
}

int vc_port_start_recording(vc_port *port) {
  if (!port->recorded) {
    int result = vd_ring_create(&port->recorded, sizeof(vc_heard), VC_PORT_RECORDED_BLOCKS);
    if (result < 0)
      return result;
  }
  vd_ring_discard(port->recorded, VC_PORT_RECORDED_BLOCKS);
  // Released, so that the device that sees the state sees the ring.
  atomic_store_explicit(&port->records, 1, memory_order_release);
  return 0;
}

void vc_port_stop_recording(vc_port *port) VD_NONBLOCKING {
  atomic_store_explicit(&port->records, 0, memory_order_release);
}

size_t vc_port_take_recorded(vc_port *port, vc_heard *out, size_t capacity) VD_NONBLOCKING {
  return port->recorded ? vd_ring_pop(port->recorded, out, capacity) : 0;
}

uint64_t vc_port_dropped_recorded(const vc_port *port) VD_NONBLOCKING {
  return port->recorded ? vd_ring_dropped(port->recorded) : 0;
}

int vc_port_has_output(const vc_port *port) VD_NONBLOCKING {
  return vd_ring_fill(port->packets_out) > 0 || vd_ring_fill(port->events_out) > 0;
}

void vc_port_playout(const vc_port *port, vc_playout *playout) {
  vc_core_playout(port->core, playout);
}

void vc_port_counters(const vc_port *port, vc_counters *counters, uint64_t *dropped_outputs) {
  vc_core_counters(port->core, counters);
  counters->refused_packets += vd_ring_dropped(port->packets_in);
  *dropped_outputs = vd_ring_dropped(port->packets_out) + vd_ring_dropped(port->events_out) +
                     counters->dropped_events;
}

int vc_port_step(vc_port *port, const float *microphone, const float *reference, float *speaker,
                 size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING {
  vc_input input = {.microphone = microphone,
                    .reference = reference,
                    .packets = port->received,
                    .packet_count =
                        vd_ring_pop(port->packets_in, port->received, VC_PACKETS_IN_MAX),
                    .flush_below = atomic_load_explicit(&port->flush_below, memory_order_acquire),
                    .releases = atomic_load_explicit(&port->releases, memory_order_acquire),
                    .muted = (uint8_t)atomic_load_explicit(&port->muted, memory_order_acquire),
                    .timing = *timing};
  vc_output *output = &port->output;
  vc_core_step(port->core, &input, output);
  memcpy(speaker, output->speaker, output->speaker_frames * sizeof *speaker);
  *speaker_frames = output->speaker_frames;
  vd_ring_push(port->packets_out, output->packets, output->packet_count);
  vd_ring_push(port->events_out, output->events, output->event_count);
  if (atomic_load_explicit(&port->records, memory_order_acquire)) {
    vc_core_hear(port->core, microphone, &port->heard);
    vd_ring_push(port->recorded, &port->heard, 1);
  }
  return output->packet_count > 0 || output->event_count > 0;
}

void vc_port_device_event(vc_port *port, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING {
  vc_event event = {.kind = kind, .timestamp = timestamp};
  vd_ring_push(port->events_out, &event, 1);
}
