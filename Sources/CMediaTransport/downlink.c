#include "downlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// About 6 s of packets, 15 times the lead.
  OUTGOING_BYTES = 32768,
  /// Packets encoded in one step at most, so that one call cannot hold up the others for long.
  PACKETS_PER_STEP = 25,
  /// What codec (6.5 ms) and resampler (2.4 ms at 8 kHz) hold back, rounded up.
  TAIL_MS = 12,
  /// In-band redundancy for what is lost behind a relay; on the media WebSocket nothing is.
  EXPECTED_LOSS_PCT = 5,
};

static const int64_t PACKET_NS = 20 * 1000000;

int mt_downlink_create(downlink **out, const mt_config *config, int rate_hz) {
  *out = NULL;
  downlink *down = calloc(1, sizeof *down);
  if (down == NULL) {
    return -ENOMEM;
  }
  down->pace.lead_first_ns = (int64_t)config->lead_first_ms * 1000000;
  down->pace.lead_ns = (int64_t)config->lead_ms * 1000000;
  int result = mt_speech_queue_init(&down->queue, rate_hz);
  if (result == 0) {
    result = mt_packet_ring_create(&down->outgoing, OUTGOING_BYTES);
  }
  if (result == 0) {
    result = vd_encoder_create(&down->encoder, config->bit_rate, EXPECTED_LOSS_PCT);
  }
  if (result == 0) {
    result = vd_resampler_create(&down->resampler, rate_hz, 48000);
  }
  if (result != 0) {
    mt_downlink_destroy(down);
    return result;
  }
  *out = down;
  return 0;
}

void mt_downlink_destroy(downlink *down) {
  if (down == NULL) {
    return;
  }
  mt_speech_queue_deinit(&down->queue);
  mt_packet_ring_destroy(&down->outgoing);
  vd_encoder_destroy(down->encoder);
  vd_resampler_destroy(down->resampler);
  free(down);
}

/// Begins a generation. Encoder and resampler begin anew, so that nothing of an earlier generation,
/// flushed or not, sounds in this one.
static void begin_utterance(downlink *down, const speech_segment *segment) VD_NONBLOCKING {
  down->phase = UTTERANCE_SPEAKING;
  down->generation = segment->generation;
  down->rate_hz = segment->rate_hz > 0 ? segment->rate_hz : 48000;
  down->has_spoken = 0;
  down->tail = 0;
  down->input_used = 0;
  down->input_count = 0;
  down->filled = 0;
  vd_encoder_reset(down->encoder);
  vd_resampler_reset(down->resampler);
  vd_resampler_set_ratio(down->resampler, 48000.0 / down->rate_hz);
}

static void drop_flushed(downlink *down) VD_NONBLOCKING {
  const uint32_t next = atomic_load_explicit(&down->next_generation, memory_order_acquire);
  const speech_segment *front = mt_speech_queue_front(&down->queue);
  while (front != NULL && front->generation < next) {
    mt_speech_queue_drop_front(&down->queue);
    mt_speech_queue_collect(&down->queue);
    front = mt_speech_queue_front(&down->queue);
  }
  // The generation also counts when its last packet is out: the listener drops what it holds of it.
  if (down->generation != 0 && down->generation < next) {
    down->phase = UTTERANCE_NONE;
    down->generation = 0;
    mt_pacer_restart(&down->pace);
  }
}

/// Refills the input from the segment, or with the zeros that follow it. Result: whether it did.
static int refill(downlink *down) VD_NONBLOCKING {
  down->input_used = 0;
  down->input_count = 0;
  if (down->phase == UTTERANCE_TAIL) {
    const size_t zeros = down->tail < DOWNLINK_INPUT_SAMPLES ? down->tail : DOWNLINK_INPUT_SAMPLES;
    memset(down->input, 0, zeros * sizeof *down->input);
    down->tail -= zeros;
    down->input_count = zeros;
    return zeros > 0;
  }
  int16_t samples[DOWNLINK_INPUT_SAMPLES];
  const size_t count = mt_speech_queue_read(&down->queue, samples, DOWNLINK_INPUT_SAMPLES);
  for (size_t i = 0; i < count; i++) {
    down->input[i] = (float)samples[i] / 32768.0f;
  }
  down->input_count = count;
  down->has_spoken |= count > 0;
  return count > 0;
}

/// Moves input into the frame, through the resampler where rates differ. The resampler also keeps
/// input whose output found no room, so it is asked even when there is no new input.
/// Result: whether anything moved.
static int convert(downlink *down) VD_NONBLOCKING {
  const float *from = down->input + down->input_used;
  const size_t waiting = down->input_count - down->input_used;
  const size_t room = VD_FRAME_SAMPLES - down->filled;
  if (down->rate_hz == 48000) {
    const size_t taken = waiting < room ? waiting : room;
    memcpy(down->frame + down->filled, from, taken * sizeof *from);
    down->input_used += taken;
    down->filled += taken;
    return taken > 0;
  }
  size_t used = 0;
  const long made =
      vd_resampler_process(down->resampler, from, waiting, &used, down->frame + down->filled, room);
  if (made < 0) {
    // Cannot happen with a valid ratio; the input is given up rather than asked for for ever.
    down->input_used = down->input_count;
    return 0;
  }
  down->input_used += used;
  down->filled += (size_t)made;
  return used > 0 || made > 0;
}

/// Fills the next frame as far as speech is there. Result: whether it is whole.
static int fill_frame(downlink *down) VD_NONBLOCKING {
  const speech_segment *segment = mt_speech_queue_front(&down->queue);
  while (down->filled < VD_FRAME_SAMPLES) {
    if (convert(down) || refill(down)) {
      continue;
    }
    if (down->phase == UTTERANCE_SPEAKING) {
      // Another segment behind it ends this one too: one generation speaks at a time.
      if (!segment->has_ended && !mt_speech_queue_has_next(&down->queue)) {
        return 0;
      }
      down->phase = UTTERANCE_TAIL;
      down->tail = down->has_spoken ? (size_t)down->rate_hz * TAIL_MS / 1000 : 0;
      continue;
    }
    if (down->filled == 0) {
      return 0;
    }
    memset(down->frame + down->filled, 0, (VD_FRAME_SAMPLES - down->filled) * sizeof *down->frame);
    down->filled = VD_FRAME_SAMPLES;
  }
  return 1;
}

static void push(downlink *down, const vd_packet *packet, _Atomic size_t *pending) VD_NONBLOCKING {
  // Raised first: whoever takes the packet at once must find it counted.
  atomic_fetch_add(pending, 1);
  if (!mt_packet_ring_push(&down->outgoing, packet)) {
    atomic_fetch_sub(pending, 1);
    return;
  }
  down->sequence += 1;
}

static void send_frame(downlink *down, _Atomic size_t *pending) VD_NONBLOCKING {
  vd_packet packet = {
      .generation = down->generation,
      .sequence = down->sequence,
      .timestamp = down->timestamp,
      .kind = VD_PACKET_OPUS,
  };
  const int bytes =
      vd_encoder_encode(down->encoder, down->frame, packet.payload, VD_PACKET_PAYLOAD_MAX);
  down->filled = 0;
  down->timestamp += VD_FRAME_SAMPLES;
  if (bytes > 0) {
    packet.bytes = (uint16_t)bytes;
    push(down, &packet, pending);
  }
}

static void send_end(downlink *down, _Atomic size_t *pending) VD_NONBLOCKING {
  const vd_packet packet = {
      .generation = down->generation,
      .sequence = down->sequence,
      .timestamp = down->timestamp,
      .kind = VD_PACKET_END,
  };
  push(down, &packet, pending);
}

size_t mt_downlink_step(downlink *down, int64_t now_ns, _Atomic size_t *pending) VD_NONBLOCKING {
  mt_speech_queue_collect(&down->queue);
  drop_flushed(down);
  size_t pushed = 0;
  while (pushed < PACKETS_PER_STEP) {
    const speech_segment *segment = mt_speech_queue_front(&down->queue);
    if (segment == NULL) {
      break;
    }
    if (down->phase == UTTERANCE_NONE) {
      begin_utterance(down, segment);
    }
    // One packet and the end that may follow it.
    if (!mt_packet_ring_has_room(&down->outgoing, 2)) {
      atomic_fetch_add_explicit(&down->outgoing_stalled, 1, memory_order_relaxed);
      break;
    }
    if (fill_frame(down)) {
      if (!mt_pacer_is_due(&down->pace, PACKET_NS, now_ns)) {
        break;
      }
      send_frame(down, pending);
      mt_pacer_sent(&down->pace, PACKET_NS);
      pushed += 1;
      continue;
    }
    if (down->phase != UTTERANCE_TAIL) {
      break;
    }
    if (segment->has_ended) {
      send_end(down, pending);
      pushed += 1;
    }
    down->phase = UTTERANCE_NONE;
    mt_speech_queue_drop_front(&down->queue);
    mt_speech_queue_collect(&down->queue);
  }
  return pushed;
}

int mt_downlink_is_speaking(const downlink *down) VD_NONBLOCKING {
  return down->queue.count > 0;
}
