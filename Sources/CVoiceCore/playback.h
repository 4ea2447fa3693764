#ifndef VC_PLAYBACK_H
#define VC_PLAYBACK_H

#include <stdbool.h>

#include "packet_queue.h"
#include "voice_codec.h"
#include "voice_core.h"

/// Stretches of generations that one block holds at most.
#define VC_SPANS_MAX 4

/// A stretch of one generation inside a block.
typedef struct {
  uint32_t generation;
  uint16_t offset; ///< first frame inside the block
  uint16_t count;  ///< may be 0 when it only marks an end
  bool ends;       ///< nothing of this generation follows
  bool flushed;    ///< it ends because it was cut
} vc_span;

/// What one pull produced besides the samples.
typedef struct {
  vc_span spans[VC_SPANS_MAX];
  size_t span_count;
  bool sounding; ///< anything but digital silence was written
} vc_spans;

/// Whether the voice flows.
typedef enum {
  VC_FLOWS = 0,
  VC_HOLDING,   ///< the next pull fades out and keeps what it would have played
  VC_HELD,      ///< nothing plays
  VC_RELEASING, ///< the next pull fades in where it stopped
} vc_flow;

/// The agent's speech that waits: packets by generation and sequence, decoded when they are due.
typedef struct {
  vd_decoder *decoder;
  vc_packet_queue queue;
  float decoded[VD_FRAME_SAMPLES];
  size_t decoded_at;
  size_t decoded_count;
  uint32_t decoded_generation; ///< 0: made up behind an underrun, belongs to none
  uint32_t generation;         ///< in play, or the last that was
  uint32_t closed;             ///< generations up to this one take no more packets
  uint32_t floor;              ///< generations below were flushed
  uint32_t expected_sequence;
  uint32_t conceal_run;
  uint32_t waited_blocks;
  bool playing;      ///< packets flow
  bool unfinished;   ///< `generation` began and has neither ended nor been cut
  bool has_expected; ///< a packet of `generation` was taken
  bool fading;       ///< the next pull fades out and cuts
  vc_flow flow;
  size_t kept_count; ///< frames kept when the voice was held
  vc_spans kept_spans;
  float kept[VC_BLOCK_FRAMES];
  vc_counters counters;
} vc_playback;

/// Result: 0 or -ENOMEM; vc_playback_close either way.
int vc_playback_open(vc_playback *playback);
void vc_playback_close(vc_playback *playback);
/// Queues a packet, or drops and counts it.
void vc_playback_offer(vc_playback *playback, const vd_packet *packet) VD_NONBLOCKING;
/// Drops the generations below `generation`; what plays fades out within the next pull.
void vc_playback_flush(vc_playback *playback, uint32_t generation) VD_NONBLOCKING;
/// The voice stops within the next pull, with a fade, and waits where it was. Nothing of the faded
/// block counts as played.
void vc_playback_hold(vc_playback *playback) VD_NONBLOCKING;
/// It goes on there with the next pull, unless that was flushed.
void vc_playback_release(vc_playback *playback) VD_NONBLOCKING;
/// Whether there is something to say: a generation in play, kept, or waiting.
bool vc_playback_has_speech(const vc_playback *playback) VD_NONBLOCKING;
/// Renders the next VC_BLOCK_FRAMES samples.
void vc_playback_pull(vc_playback *playback, float *out, vc_spans *spans) VD_NONBLOCKING;
size_t vc_playback_queued(const vc_playback *playback) VD_NONBLOCKING;
/// Writes the counters that the playback keeps into `counters`.
void vc_playback_count(const vc_playback *playback, vc_counters *counters) VD_NONBLOCKING;

#endif
