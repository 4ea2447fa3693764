#ifndef MEDIA_PLANE_H
#define MEDIA_PLANE_H

#include <stddef.h>
#include <stdint.h>

#include "voice_packet.h"
#include "voice_realtime.h"
#include "voice_vad.h"

VD_BEGIN_DECLS

/// All calls of one media thread: decode on arrival, hearing, encode, pacing. The step has no
/// clock, thread or I/O inside; `mt_plane_start` drives it in real time, a scheduler drives it in
/// simulation.
typedef struct mt_plane mt_plane;
/// One call's place on the plane: one device's way up, the agent's way down.
typedef struct mt_call mt_call;

/// 32 ms of what the router heard, at 16 kHz.
typedef struct {
  uint64_t
      first_sample;   ///< on the call's 16 kHz timeline (= device capture timestamp / 3, unwrapped)
  float probability;  ///< of speech, 0..1
  float level;        ///< 0..1
  uint32_t concealed; ///< samples of it made up for lost packets
  int16_t samples[VD_VAD_WINDOW_SAMPLES];
} mt_hearing;

typedef struct {
  uint32_t calls_max;                ///< 1..4096
  const vd_vad_weights *vad_weights; ///< NULL: energy detector
  uint32_t lead_first_ms;            ///< speech sent at once, 300 (design.md)
  uint32_t lead_ms;                  ///< lead kept afterwards, 400
  int bit_rate;                      ///< of the agent's speech, 32000
} mt_config;

/// Counters of one call; every bound has one.
typedef struct {
  uint64_t packets_received, packets_lost, packets_late, packets_sent;
  uint64_t receive_dropped, hearing_dropped, speech_refused, outgoing_stalled;
} mt_counters;

/// Creates a plane. `lead_first_ms` is 20 or more and at most `lead_ms`, that at most 5,000.
/// Result: 0, -EINVAL, -ENOMEM or an errno of eventfd. Role: control.
int mt_plane_create(mt_plane **out, const mt_config *config);
/// Stops the thread and frees everything, open calls too; NULL is allowed. Role: control.
void mt_plane_destroy(mt_plane *plane);
/// Starts the plane's thread: 5 ms ticks while speech waits for its time, else on every wake.
/// Result: 0, -EALREADY or an errno of pthread_create. Role: control.
int mt_plane_start(mt_plane *plane);
/// Ends the thread and waits for it; calls stay open. Role: control.
void mt_plane_stop(mt_plane *plane);
/// Does all work due at `now_ns` (monotonic). Role: the media thread, or the simulation's
/// scheduler.
void mt_plane_step(mt_plane *plane, int64_t now_ns) VD_NONBLOCKING;
/// An eventfd that is readable while some call has hearing or packets to take: the thread raises
/// it, taking the last of all clears it, so nobody needs to read it. Without the thread it is never
/// raised: who steps the plane takes after each step. Role: any.
int mt_plane_descriptor(const mt_plane *plane);

/// Opens a place. Result: 0, -ENOSPC (calls_max reached) or -ENOMEM. Role: control.
int mt_call_open(mt_plane *plane, mt_call **out);
/// Closes a place; the call must not be used again. It is free again after the next step. NULL is
/// allowed. Role: control.
void mt_call_close(mt_call *call);
/// Frees closed calls that the media thread has let go of, with what nobody took of them: until
/// then that keeps the descriptor readable. Opening a call does it too. Role: control.
void mt_plane_reap(mt_plane *plane);
/// Hands over a packet of the device. Result: 0, -ENOBUFS when 32 KiB (about 6 s) wait, or -EINVAL
/// for a kind other than Opus; both are counted. A packet that is missing is waited for until four
/// later ones are there. A sequence number more than 5 s off, ten late packets in a row, or a
/// timestamp more than 1 s back, begins the timeline anew. Role: control.
int mt_call_receive(mt_call *call, const vd_packet *packet);
/// Takes what was heard, oldest first; 2 s wait at most, then packets wait undecoded. A gap of up
/// to 1 s is concealed; after a longer one the timeline jumps, and 1 s of silence stands before the
/// next sample. Role: control.
size_t mt_call_take_hearing(mt_call *call, mt_hearing *out, size_t capacity);
/// Queues speech of a generation (mono PCM16 at rate_hz, 8000..48000; the rate is fixed within a
/// generation). Generations are spoken one after the other, in the order in which they come.
/// Result: samples taken; fewer than `count` when 10 s are waiting: try again later. Speech of a
/// flushed generation is taken and forgotten. Role: control.
size_t mt_call_speak(mt_call *call, uint32_t generation, int rate_hz, const int16_t *samples,
                     size_t count);
/// Marks the end of a generation: a VD_PACKET_END follows its last packet, with the timestamp of
/// the sample after it. Result: 0, -ENOBUFS (try again later) or -ENOMEM. Role: control.
int mt_call_speak_end(mt_call *call, uint32_t generation);
/// Drops everything of generations below `next_generation` not yet sent. Role: control.
void mt_call_flush(mt_call *call, uint32_t next_generation);
/// Takes packets due for the device, oldest first. Sequence and timestamp run on over generations;
/// each generation begins with a fresh encoder. Role: control.
size_t mt_call_take_packets(mt_call *call, vd_packet *out, size_t capacity);
/// Role: control.
mt_counters mt_call_counters(const mt_call *call);

VD_END_DECLS

#endif
