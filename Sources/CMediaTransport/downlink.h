#ifndef DOWNLINK_H
#define DOWNLINK_H

#include <stdatomic.h>

#include "media_plane.h"
#include "pacer.h"
#include "packet_ring.h"
#include "speech_queue.h"
#include "voice_codec.h"
#include "voice_resample.h"

enum { DOWNLINK_INPUT_SAMPLES = 480 };

/// How far the generation being spoken has come.
typedef enum {
  UTTERANCE_NONE,
  UTTERANCE_SPEAKING,
  UTTERANCE_TAIL, // its last sample was read; codec and resampler still hold some milliseconds
} utterance_phase;

/// The way down of one call: speech, resampled to 48 kHz, encoded in 20 ms packets, paced.
typedef struct {
  speech_queue queue;
  packet_ring outgoing;             // media -> control
  _Atomic uint32_t next_generation; // control: everything below is dropped
  _Atomic uint64_t outgoing_stalled;
  // The media thread's own:
  vd_encoder *encoder;
  vd_resampler *resampler;
  pacer pace;
  utterance_phase phase;
  uint8_t has_spoken; // a sample of the generation was read
  uint32_t generation;
  int rate_hz;
  uint32_t sequence;
  uint32_t timestamp;
  size_t tail; // zeros still to follow the last sample, at rate_hz
  float input[DOWNLINK_INPUT_SAMPLES];
  size_t input_used;
  size_t input_count;
  float frame[VD_FRAME_SAMPLES];
  size_t filled;
} downlink;

/// Creates the way down; `rate_hz` is that of the first speech. Result: 0, -EINVAL or -ENOMEM.
int mt_downlink_create(downlink **out, const mt_config *config, int rate_hz);
void mt_downlink_destroy(downlink *down);
/// Encodes and hands out the packets due at `now_ns`.
/// Result: packets pushed; `*pending` is raised before each. Role: media.
size_t mt_downlink_step(downlink *down, int64_t now_ns, _Atomic size_t *pending) VD_NONBLOCKING;
/// Whether speech waits for its time. Role: media.
int mt_downlink_is_speaking(const downlink *down) VD_NONBLOCKING;

#endif
