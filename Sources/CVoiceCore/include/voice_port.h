#ifndef VOICE_PORT_H
#define VOICE_PORT_H

#include "voice_core.h"

VD_BEGIN_DECLS

/// A core and the bounded queues around it: one thread steps it, another feeds and drains it. Used
/// by the audio thread and by the simulated device alike.
typedef struct vc_port vc_port;

/// Packets on the way up that wait at most: 5 s. At the bound the newest is dropped and counted.
#define VC_PORT_UPLINK_PACKETS 256
/// Events that wait at most. At the bound the newest is dropped and counted.
#define VC_PORT_EVENTS 1024
/// Blocks of a recording that wait at most: 2.5 s. At the bound the newest is dropped and counted.
#define VC_PORT_RECORDED_BLOCKS 256

int vc_port_create(vc_port **out, const vc_config *config);
void vc_port_destroy(vc_port *port);
/// Whether the memory of the core and of the queues is locked; RLIMIT_MEMLOCK may forbid it.
/// Role: any.
int vc_port_is_locked(const vc_port *port);

/// Offers a packet of the agent's speech. Result: 1, or 0 when the queue is full (counted).
/// Role: application.
int vc_port_send(vc_port *port, const vd_packet *packet) VD_NONBLOCKING;
/// Drops everything of generations below `generation`, with a fade of one block. Role: application.
void vc_port_flush(vc_port *port, uint32_t generation) VD_NONBLOCKING;
/// Lets the agent's voice go on where a barge-in stopped it: nothing was said. Role: application.
void vc_port_release(vc_port *port) VD_NONBLOCKING;
/// Mutes or unmutes the microphone from the next step on. Role: application.
void vc_port_set_muted(vc_port *port, int muted) VD_NONBLOCKING;
int vc_port_is_muted(const vc_port *port) VD_NONBLOCKING;
/// Takes packets of the uplink, oldest first; returns how many. Role: application.
size_t vc_port_take_packets(vc_port *port, vd_packet *out, size_t capacity) VD_NONBLOCKING;
/// Takes events, oldest first; returns how many. Role: application.
size_t vc_port_take_events(vc_port *port, vc_event *out, size_t capacity) VD_NONBLOCKING;

/// Keeps from the next step on what is heard, for a recorder to take; what waits from an earlier
/// recording is forgotten. Result: 0 or -ENOMEM. Role: recorder; allocates the first time.
int vc_port_start_recording(vc_port *port);
/// Keeps nothing from the next step on. Role: any.
void vc_port_stop_recording(vc_port *port) VD_NONBLOCKING;
/// Takes what was heard, oldest first; returns how many blocks. Role: recorder.
size_t vc_port_take_recorded(vc_port *port, vc_heard *out, size_t capacity) VD_NONBLOCKING;
/// Blocks that were not kept because nobody took the earlier ones in time. Role: recorder.
uint64_t vc_port_dropped_recorded(const vc_port *port) VD_NONBLOCKING;

/// Whether packets or events wait. Role: application.
int vc_port_has_output(const vc_port *port) VD_NONBLOCKING;
/// Reads the playout clock. Role: any.
void vc_port_playout(const vc_port *port, vc_playout *playout);
/// Reads the core's counters; packets and events that the queues refused are added. Role: any.
void vc_port_counters(const vc_port *port, vc_counters *counters, uint64_t *dropped_outputs);

/// Lets 10 ms pass: takes what waits, steps the core, queues what it made.
/// - microphone: VC_BLOCK_FRAMES samples.
/// - reference: what the speaker plays, wired back, as many; NULL where the device has no such
///   channel.
/// - speaker: room for VC_SPEAKER_FRAMES_MAX samples; `*speaker_frames` receives how many are to be
///   played, all of them.
/// Result: 1 when the application should be woken, else 0. Role: device.
int vc_port_step(vc_port *port, const float *microphone, const float *reference, float *speaker,
                 size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING;
/// Queues an event of the device itself (VC_EVENT_XRUN, VC_EVENT_..._LOST). Role: device.
void vc_port_device_event(vc_port *port, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING;

VD_END_DECLS

#endif
