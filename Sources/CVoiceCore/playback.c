#include "playback.h"

#include <string.h>

/// Packets that must wait before a generation starts (or goes on after it ran dry): 40 ms.
#define START_PACKETS 2
/// Blocks after which it starts with fewer: 60 ms.
#define START_WAIT_BLOCKS 6
/// Packets in a row that are made up before a hole is skipped: 200 ms.
#define CONCEAL_MAX 10

/// What the queue gave.
typedef enum { GOT_NOTHING, GOT_SAMPLES, GOT_END } step_result;

int vc_playback_open(vc_playback *playback) {
  *playback = (vc_playback){0};
  vc_packet_queue_clear(&playback->queue);
  return vd_decoder_create(&playback->decoder, 48000);
}

void vc_playback_close(vc_playback *playback) {
  vd_decoder_destroy(playback->decoder);
}

static bool is_well_formed(const vd_packet *packet) {
  switch (packet->kind) {
  case VD_PACKET_END:
    return true;
  case VD_PACKET_OPUS:
    return packet->bytes > 0 && packet->bytes <= VD_PACKET_PAYLOAD_MAX;
  case VD_PACKET_PCM16:
    return packet->bytes > 0 && packet->bytes <= VD_PACKET_PAYLOAD_MAX && packet->bytes % 2 == 0;
  default:
    return false;
  }
}

void vc_playback_offer(vc_playback *playback, const vd_packet *packet) VD_NONBLOCKING {
  if (!is_well_formed(packet)) {
    playback->counters.refused_packets++;
    return;
  }
  if (packet->generation < playback->floor) {
    playback->counters.stale_packets++;
    return;
  }
  bool is_over = packet->generation <= playback->closed ||
                 (playback->unfinished && packet->generation < playback->generation);
  bool is_past = playback->unfinished && playback->has_expected &&
                 packet->generation == playback->generation &&
                 (int32_t)(packet->sequence - playback->expected_sequence) < 0;
  if (is_over || is_past) {
    playback->counters.late_packets++;
    return;
  }
  switch (vc_packet_queue_insert(&playback->queue, packet)) {
  case VC_QUEUED:
    break;
  case VC_QUEUE_FULL:
    playback->counters.refused_packets++;
    break;
  case VC_QUEUE_DUPLICATE:
    playback->counters.late_packets++;
    break;
  }
}

void vc_playback_flush(vc_playback *playback, uint32_t generation) VD_NONBLOCKING {
  if (generation <= playback->floor)
    return;
  playback->floor = generation;
  if (playback->unfinished && playback->generation < generation) {
    playback->fading = true; // Its packets are still needed for the fade.
  } else {
    playback->counters.stale_packets += vc_packet_queue_drop_below(&playback->queue, generation);
  }
}

/// Puts one concealed or decoded frame in line.
static void hold(vc_playback *playback, int samples, uint32_t generation) {
  if (samples <= 0) {
    // A packet that the decoder refuses still takes its time on the generation's timeline.
    memset(playback->decoded, 0, sizeof playback->decoded);
    samples = VD_FRAME_SAMPLES;
  }
  playback->decoded_at = 0;
  playback->decoded_count = (size_t)samples;
  playback->decoded_generation = generation;
}

static int conceal(vc_playback *playback) {
  return vd_decoder_decode(playback->decoder, NULL, 0, 0, playback->decoded, VD_FRAME_SAMPLES);
}

static int decode(vc_playback *playback, const vd_packet *packet, int fec) {
  return vd_decoder_decode(playback->decoder, packet->payload, packet->bytes, fec,
                           playback->decoded, VD_FRAME_SAMPLES);
}

static int convert_pcm16(vc_playback *playback, const vd_packet *packet) {
  int samples = packet->bytes / 2;
  for (int i = 0; i < samples; i++) {
    uint16_t bits = (uint16_t)(packet->payload[2 * i] | packet->payload[2 * i + 1] << 8);
    playback->decoded[i] = (float)(int16_t)bits / 32768.0f;
  }
  return samples;
}

/// The speech ran out before its end: one extrapolated frame, fading, so that it does not click.
static step_result run_dry(vc_playback *playback) {
  playback->playing = false;
  playback->waited_blocks = 0;
  playback->counters.underruns++;
  hold(playback, conceal(playback), 0);
  for (size_t i = 0; i < playback->decoded_count; i++)
    playback->decoded[i] *= 1.0f - (float)(i + 1) / (float)playback->decoded_count;
  return GOT_SAMPLES;
}

static void end_generation(vc_playback *playback) {
  playback->playing = false;
  playback->unfinished = false;
  playback->waited_blocks = 0;
  if (playback->closed < playback->generation)
    playback->closed = playback->generation;
}

/// Begins the head's generation, or goes on with it. False: it must wait.
static bool begin(vc_playback *playback, const vd_packet *head) {
  if (!vc_packet_queue_is_ready(&playback->queue, START_PACKETS) &&
      playback->waited_blocks < START_WAIT_BLOCKS)
    return false;
  playback->playing = true;
  playback->conceal_run = 0;
  if (!playback->unfinished) {
    playback->unfinished = true;
    playback->has_expected = false;
    playback->generation = head->generation;
    vd_decoder_reset(playback->decoder);
  }
  return true;
}

/// Makes up the next packet, or skips a hole that is too long. False: the head is due.
static bool bridge_hole(vc_playback *playback, const vd_packet *head) {
  int32_t missing = (int32_t)(head->sequence - playback->expected_sequence);
  if (!playback->has_expected || missing <= 0)
    return false;
  if (playback->conceal_run == CONCEAL_MAX) {
    playback->counters.skipped_packets += (uint64_t)missing;
    playback->expected_sequence = head->sequence;
    return false;
  }
  bool has_redundancy = missing == 1 && head->kind == VD_PACKET_OPUS;
  int samples = has_redundancy ? decode(playback, head, 1) : conceal(playback);
  hold(playback, samples, playback->generation);
  playback->expected_sequence++;
  playback->conceal_run++;
  playback->counters.concealed_packets++;
  return true;
}

static step_result take_next(vc_playback *playback) {
  const vd_packet *head = vc_packet_queue_head(&playback->queue);
  if (!head)
    return playback->playing ? run_dry(playback) : GOT_NOTHING;
  if (playback->unfinished && head->generation != playback->generation) {
    end_generation(playback); // The next generation came without this one's end.
    return GOT_END;
  }
  if (!playback->playing && !begin(playback, head))
    return GOT_NOTHING;
  if (bridge_hole(playback, head))
    return GOT_SAMPLES;
  playback->expected_sequence = head->sequence + 1;
  playback->has_expected = true;
  playback->conceal_run = 0;
  step_result result = GOT_SAMPLES;
  if (head->kind == VD_PACKET_END) {
    end_generation(playback);
    result = GOT_END;
  } else if (head->kind == VD_PACKET_OPUS) {
    hold(playback, decode(playback, head, 0), head->generation);
  } else {
    hold(playback, convert_pcm16(playback, head), head->generation);
  }
  vc_packet_queue_remove_head(&playback->queue);
  return result;
}

/// Notes that `count` frames from `offset` on belong to `generation`. False: no room.
static bool note(vc_spans *spans, uint32_t generation, size_t offset, size_t count) {
  if (spans->span_count) {
    vc_span *last = &spans->spans[spans->span_count - 1];
    if (last->generation == generation && !last->ends &&
        (size_t)last->offset + last->count == offset) {
      last->count = (uint16_t)(last->count + count);
      return true;
    }
  }
  if (spans->span_count == VC_SPANS_MAX)
    return false;
  spans->spans[spans->span_count++] =
      (vc_span){.generation = generation, .offset = (uint16_t)offset, .count = (uint16_t)count};
  return true;
}

static void note_end(vc_spans *spans, uint32_t generation, size_t offset, bool flushed) {
  // Room is certain: a pull stops taking packets while one span is left.
  if (note(spans, generation, offset, 0)) {
    spans->spans[spans->span_count - 1].ends = true;
    spans->spans[spans->span_count - 1].flushed = flushed;
  }
}

static size_t render(vc_playback *playback, float *out, vc_spans *spans) {
  size_t filled = 0;
  while (filled < VC_BLOCK_FRAMES) {
    size_t held = playback->decoded_count - playback->decoded_at;
    if (held == 0) {
      if (spans->span_count >= VC_SPANS_MAX - 1)
        break; // Generations shorter than 2 ms: the rest comes with the next block.
      step_result result = take_next(playback);
      if (result == GOT_NOTHING)
        break;
      if (result == GOT_END) {
        // One that ends within its own cut was cut: the next generation's packets, or its own end,
        // only came before the fade was over.
        note_end(spans, playback->generation, filled, playback->fading);
        if (playback->fading)
          break;
      }
      continue;
    }
    size_t room = VC_BLOCK_FRAMES - filled;
    size_t count = held < room ? held : room;
    memcpy(&out[filled], &playback->decoded[playback->decoded_at], count * sizeof *out);
    if (playback->decoded_generation)
      note(spans, playback->decoded_generation, filled, count);
    playback->decoded_at += count;
    filled += count;
    spans->sounding = true;
  }
  return filled;
}

/// Ramps the block down and forgets what is left of the flushed generations.
static void cut(vc_playback *playback, float *out, size_t filled, vc_spans *spans) {
  for (size_t i = 0; i < filled; i++)
    out[i] *= 1.0f - (float)(i + 1) / (float)VC_BLOCK_FRAMES;
  if (playback->unfinished)
    note_end(spans, playback->generation, filled, true);
  end_generation(playback);
  playback->counters.stale_packets += vc_packet_queue_drop_below(&playback->queue, playback->floor);
  playback->decoded_at = playback->decoded_count = 0;
  playback->fading = false;
}

void vc_playback_hold(vc_playback *playback) VD_NONBLOCKING {
  if (playback->flow == VC_FLOWS)
    playback->flow = VC_HOLDING;
  else if (playback->flow == VC_RELEASING)
    playback->flow = VC_HELD;
}

void vc_playback_release(vc_playback *playback) VD_NONBLOCKING {
  if (playback->flow == VC_HELD)
    playback->flow = VC_RELEASING;
  else if (playback->flow == VC_HOLDING)
    playback->flow = VC_FLOWS;
}

bool vc_playback_has_speech(const vc_playback *playback) VD_NONBLOCKING {
  return playback->unfinished || playback->queue.count || playback->kept_spans.span_count;
}

/// Fades the block out and keeps it whole: it is played when the voice goes on.
static void keep(vc_playback *playback, float *out, size_t filled, vc_spans *spans) {
  memcpy(playback->kept, out, filled * sizeof *out);
  playback->kept_count = filled;
  playback->kept_spans = *spans;
  for (size_t i = 0; i < filled; i++)
    out[i] *= 1.0f - (float)(i + 1) / (float)VC_BLOCK_FRAMES;
  *spans = (vc_spans){.sounding = spans->sounding};
  playback->flow = VC_HELD;
}

/// Plays the kept block, or drops it when its generation was flushed meanwhile.
static void bring_back(vc_playback *playback, float *out, vc_spans *spans) {
  const vc_spans *kept = &playback->kept_spans;
  uint32_t generation = kept->span_count ? kept->spans[kept->span_count - 1].generation : 0;
  if (generation >= playback->floor) {
    for (size_t i = 0; i < playback->kept_count; i++)
      out[i] = playback->kept[i] * (float)(i + 1) / (float)VC_BLOCK_FRAMES;
    *spans = *kept;
  } else if (playback->fading) {
    cut(playback, out, 0, spans);
  } else {
    note_end(spans, generation, 0, true);
  }
  playback->kept_count = 0;
  playback->kept_spans = (vc_spans){0};
}

void vc_playback_pull(vc_playback *playback, float *out, vc_spans *spans) VD_NONBLOCKING {
  *spans = (vc_spans){0};
  if (playback->flow == VC_HELD || playback->flow == VC_RELEASING) {
    memset(out, 0, VC_BLOCK_FRAMES * sizeof *out);
    if (playback->flow == VC_HELD)
      return;
    playback->flow = VC_FLOWS;
    if (playback->kept_spans.span_count || playback->fading) {
      bring_back(playback, out, spans);
      return;
    }
  }
  if (!playback->playing && playback->queue.count)
    playback->waited_blocks++;
  size_t filled = render(playback, out, spans);
  memset(&out[filled], 0, (VC_BLOCK_FRAMES - filled) * sizeof *out);
  if (playback->flow == VC_HOLDING && !playback->fading)
    keep(playback, out, filled, spans);
  else if (playback->fading)
    cut(playback, out, filled, spans);
  if (playback->flow == VC_HOLDING)
    playback->flow = VC_HELD; // Flushed as it was stopped: nothing is kept.
}

size_t vc_playback_queued(const vc_playback *playback) VD_NONBLOCKING {
  return playback->queue.count;
}

void vc_playback_count(const vc_playback *playback, vc_counters *counters) VD_NONBLOCKING {
  counters->concealed_packets = playback->counters.concealed_packets;
  counters->skipped_packets = playback->counters.skipped_packets;
  counters->late_packets = playback->counters.late_packets;
  counters->stale_packets = playback->counters.stale_packets;
  counters->refused_packets = playback->counters.refused_packets;
  counters->underruns = playback->counters.underruns;
}
