#include "uplink.h"

#include <string.h>

enum {
  RATE_RATIO = 3, // 48 kHz timestamps, 16 kHz samples
  FRAME = VD_FRAME_SAMPLES / RATE_RATIO,
  WINDOW = VD_VAD_WINDOW_SAMPLES,
  /// Longest gap made up for, in samples; a longer one is silence of this length and a jump.
  GAP_MAX = 16000,
  /// A packet that begins up to so many samples before the timeline's end overlaps what was heard;
  /// one that begins earlier is on another timeline.
  OVERLAP_MAX = FRAME,
  /// About 6 s of packets.
  RECEIVED_BYTES = 32768,
  /// 2 s of windows.
  HEARD_WINDOWS = 64,
  /// Windows that one packet after a gap may bring: a packet is looked at only when they fit.
  WINDOWS_OF_A_PACKET = (GAP_MAX + REORDER_WINDOW * FRAME) / WINDOW + 2,
};

_Static_assert(WINDOWS_OF_A_PACKET < HEARD_WINDOWS, "one packet must always fit");

int mt_uplink_init(uplink *up, const vd_vad_weights *weights) {
  int result = mt_packet_ring_create(&up->received, RECEIVED_BYTES);
  if (result == 0) {
    result = vd_ring_create(&up->heard, sizeof(mt_hearing), HEARD_WINDOWS);
  }
  if (result == 0) {
    result = vd_decoder_create(&up->decoder, 16000);
  }
  if (result == 0) {
    result = vd_vad_create(&up->vad, weights);
  }
  return result;
}

void mt_uplink_deinit(uplink *up) {
  mt_packet_ring_destroy(&up->received);
  vd_ring_destroy(up->heard);
  vd_decoder_destroy(up->decoder);
  vd_vad_destroy(up->vad);
}

static void count(_Atomic uint64_t *counter) VD_NONBLOCKING {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static int16_t to_pcm16(float sample) VD_NONBLOCKING {
  const float scaled = sample * 32768.0f;
  if (scaled >= 32767.0f) {
    return 32767;
  }
  return scaled <= -32768.0f ? -32768 : (int16_t)scaled;
}

/// Hands on the full window. Result: 1, or 0 when there was no room.
static size_t finish_window(uplink *up, _Atomic size_t *pending) VD_NONBLOCKING {
  mt_hearing heard = {
      .first_sample = up->position - WINDOW,
      .probability = vd_vad_process(up->vad, up->window),
      .level = vd_level_update(&up->level, up->window, WINDOW, WINDOW / 16000.0f),
      .concealed = up->concealed,
  };
  for (size_t i = 0; i < WINDOW; i++) {
    heard.samples[i] = to_pcm16(up->window[i]);
  }
  up->filled = 0;
  up->concealed = 0;
  // Raised first: whoever takes the window at once must find it counted.
  atomic_fetch_add(pending, 1);
  if (vd_ring_push(up->heard, &heard, 1) == 1) {
    return 1;
  }
  atomic_fetch_sub(pending, 1);
  count(&up->hearing_dropped);
  return 0;
}

/// Appends samples to the timeline. `concealed`: they were made up.
static size_t append(uplink *up, const float *samples, size_t samples_count, int concealed,
                     _Atomic size_t *pending) VD_NONBLOCKING {
  size_t pushed = 0;
  while (samples_count > 0) {
    const size_t room = WINDOW - up->filled;
    const size_t taken = samples_count < room ? samples_count : room;
    memcpy(up->window + up->filled, samples, taken * sizeof *samples);
    up->filled += taken;
    up->position += taken;
    up->concealed += concealed ? (uint32_t)taken : 0;
    samples += taken;
    samples_count -= taken;
    if (up->filled == WINDOW) {
      pushed += finish_window(up, pending);
    }
  }
  return pushed;
}

static size_t append_silence(uplink *up, size_t samples, _Atomic size_t *pending) VD_NONBLOCKING {
  const float silence[FRAME] = {0};
  size_t pushed = 0;
  while (samples > 0) {
    const size_t taken = samples < FRAME ? samples : FRAME;
    pushed += append(up, silence, taken, 1, pending);
    samples -= taken;
  }
  return pushed;
}

/// Fills the window in the making with silence, so that nothing heard before a jump is kept back.
static size_t close_window(uplink *up, _Atomic size_t *pending) VD_NONBLOCKING {
  return up->filled == 0 ? 0 : append_silence(up, WINDOW - up->filled, pending);
}

/// Makes up for `gap` samples before `next`, the last frame of them from its redundancy if that is
/// of a lost packet.
static size_t conceal(uplink *up, size_t gap, const vd_packet *next,
                      _Atomic size_t *pending) VD_NONBLOCKING {
  size_t pushed = 0;
  while (gap > 0) {
    float made[FRAME] = {0};
    const size_t taken = gap < FRAME ? gap : FRAME;
    int samples = -1;
    if (gap == FRAME && up->follows_loss) {
      samples = vd_decoder_decode(up->decoder, next->payload, next->bytes, 1, made, FRAME);
    }
    if (samples < 0) {
      // Fails only for want of a decoder; then silence stands.
      (void)vd_decoder_decode(up->decoder, NULL, 0, 0, made, FRAME);
    }
    pushed += append(up, made, taken, 1, pending);
    gap -= taken;
  }
  return pushed;
}

/// Begins the timeline at a packet's timestamp.
static size_t begin_timeline(uplink *up, uint32_t timestamp,
                             _Atomic size_t *pending) VD_NONBLOCKING {
  const size_t pushed = close_window(up, pending);
  vd_decoder_reset(up->decoder);
  vd_vad_reset(up->vad);
  up->has_timeline = 1;
  up->timestamp = timestamp;
  up->position = timestamp / RATE_RATIO;
  return pushed;
}

/// Brings the timeline to the packet's first sample.
static size_t meet_timestamp(uplink *up, const vd_packet *packet,
                             _Atomic size_t *pending) VD_NONBLOCKING {
  if (!up->has_timeline) {
    return begin_timeline(up, packet->timestamp, pending);
  }
  const int64_t unwrapped =
      (int64_t)up->timestamp + (int32_t)(packet->timestamp - (uint32_t)up->timestamp);
  const int64_t gap = unwrapped / RATE_RATIO - (int64_t)up->position;
  if (unwrapped < 0 || gap < -OVERLAP_MAX) {
    return begin_timeline(up, packet->timestamp, pending);
  }
  up->timestamp = (uint64_t)unwrapped;
  if (gap <= 0) {
    // What was heard is not taken back, and not heard twice.
    up->overlap = (size_t)-gap;
    return 0;
  }
  if (gap <= GAP_MAX) {
    return conceal(up, (size_t)gap, packet, pending);
  }
  size_t pushed = close_window(up, pending);
  const uint64_t target = (uint64_t)unwrapped / RATE_RATIO;
  if (up->position < target - GAP_MAX) {
    up->position = target - GAP_MAX;
  }
  vd_decoder_reset(up->decoder);
  return pushed + append_silence(up, (size_t)(target - up->position), pending);
}

static size_t hear(uplink *up, const vd_packet *packet, _Atomic size_t *pending) VD_NONBLOCKING {
  size_t pushed = meet_timestamp(up, packet, pending);
  float samples[FRAME];
  int decoded = vd_decoder_decode(up->decoder, packet->payload, packet->bytes, 0, samples, FRAME);
  const int is_damaged = decoded < 0;
  if (is_damaged) {
    count(&up->packets_lost);
    decoded = vd_decoder_decode(up->decoder, NULL, 0, 0, samples, FRAME);
  }
  const size_t skipped = up->overlap;
  up->overlap = 0;
  if (decoded > 0 && (size_t)decoded > skipped) {
    pushed += append(up, samples + skipped, (size_t)decoded - skipped, is_damaged, pending);
  }
  return pushed;
}

static size_t advance(uplink *up, _Atomic size_t *pending) VD_NONBLOCKING {
  const vd_packet *packet = mt_reorder_advance(&up->order);
  if (packet == NULL) {
    // Its time is made up for when the next packet tells how much is missing.
    count(&up->packets_lost);
    up->follows_loss = 1;
    return 0;
  }
  const size_t pushed = hear(up, packet, pending);
  up->follows_loss = 0;
  return pushed;
}

static int has_room(const uplink *up) VD_NONBLOCKING {
  return vd_ring_capacity(up->heard) - vd_ring_fill(up->heard) >= WINDOWS_OF_A_PACKET;
}

size_t mt_uplink_step(uplink *up, _Atomic size_t *pending) VD_NONBLOCKING {
  size_t pushed = 0;
  vd_packet packet;
  while (has_room(up) && mt_packet_ring_pop(&up->received, &packet)) {
    reorder_verdict verdict = mt_reorder_judge(&up->order, packet.sequence);
    while (verdict == REORDER_BEYOND) {
      pushed += advance(up, pending);
      verdict = mt_reorder_judge(&up->order, packet.sequence);
    }
    if (verdict == REORDER_LATE) {
      if (!mt_reorder_note_late(&up->order, packet.sequence)) {
        count(&up->packets_late);
        continue;
      }
      verdict = REORDER_RESTART;
    }
    if (verdict == REORDER_RESTART) {
      while (mt_reorder_holds_any(&up->order)) {
        pushed += advance(up, pending);
      }
      mt_reorder_restart(&up->order, packet.sequence);
      up->has_timeline = 0;
    }
    mt_reorder_put(&up->order, &packet);
    while (mt_reorder_is_ready(&up->order)) {
      pushed += advance(up, pending);
    }
  }
  return pushed;
}

int mt_uplink_is_stalled(const uplink *up) VD_NONBLOCKING {
  return vd_ring_fill(up->received.bytes) > 0;
}
