#include "uplink.h"

#include <string.h>

int vc_uplink_create(vc_uplink *uplink, const vc_config *config, size_t latency_frames) {
  // Whole blocks, so that a packet becomes full at the end of a block and waits for no other.
  size_t before = latency_frames + VC_CODEC_LATENCY_FRAMES;
  size_t skip = (before + VC_BLOCK_FRAMES - 1) / VC_BLOCK_FRAMES * VC_BLOCK_FRAMES;
  *uplink = (vc_uplink){
      .participant = config->participant, .skip = skip, .next_timestamp = skip - before};
  return vd_encoder_create(&uplink->encoder, config->bit_rate, config->expected_loss_pct);
}

void vc_uplink_destroy(vc_uplink *uplink) {
  vd_encoder_destroy(uplink->encoder);
  uplink->encoder = NULL;
}

static void send(vc_uplink *uplink, vc_output *output) {
  uplink->fill = 0;
  uint64_t timestamp = uplink->next_timestamp;
  uplink->next_timestamp += VD_FRAME_SAMPLES;
  if (output->packet_count == VC_PACKETS_OUT_MAX)
    return; // Cannot happen: VC_GAP_FILL_FRAMES and one block make 11 packets.
  vd_packet *packet = &output->packets[output->packet_count];
  int bytes =
      vd_encoder_encode(uplink->encoder, uplink->pending, packet->payload, sizeof packet->payload);
  if (bytes <= 0)
    return; // The receiver conceals it; the sequence shows no gap that is not one.
  packet->generation = 0;
  packet->sequence = uplink->sequence++;
  packet->timestamp = (uint32_t)timestamp;
  packet->participant = uplink->participant;
  packet->bytes = (uint16_t)bytes;
  packet->kind = VD_PACKET_OPUS;
  memset(packet->reserved, 0, sizeof packet->reserved);
  output->packet_count++;
}

/// `samples` NULL stands for silence.
static void append(vc_uplink *uplink, const float *samples, size_t count, vc_output *output) {
  while (count) {
    size_t room = VD_FRAME_SAMPLES - uplink->fill;
    size_t taken = count < room ? count : room;
    if (samples) {
      memcpy(&uplink->pending[uplink->fill], samples, taken * sizeof *samples);
      samples += taken;
    } else {
      memset(&uplink->pending[uplink->fill], 0, taken * sizeof *uplink->pending);
    }
    uplink->fill += taken;
    count -= taken;
    if (uplink->fill == VD_FRAME_SAMPLES)
      send(uplink, output);
  }
}

void vc_uplink_push(vc_uplink *uplink, const float *samples, size_t count,
                    vc_output *output) VD_NONBLOCKING {
  size_t skipped = uplink->skip < count ? uplink->skip : count;
  uplink->skip -= skipped;
  append(uplink, samples + skipped, count - skipped, output);
}

void vc_uplink_skip(vc_uplink *uplink, uint64_t frames, vc_output *output) VD_NONBLOCKING {
  size_t missing = uplink->fill ? VD_FRAME_SAMPLES - uplink->fill : 0;
  if (frames < missing) {
    append(uplink, NULL, (size_t)frames, output);
    return;
  }
  // The packet in the making and whole ones; what remains is a jump of the timestamps, so that the
  // next packet begins with the next block.
  uint64_t whole = (frames - missing) / VD_FRAME_SAMPLES;
  if (whole > VC_GAP_FILL_FRAMES / VD_FRAME_SAMPLES)
    whole = VC_GAP_FILL_FRAMES / VD_FRAME_SAMPLES;
  uint64_t silent = missing + whole * VD_FRAME_SAMPLES;
  append(uplink, NULL, (size_t)silent, output);
  uplink->next_timestamp += frames - silent;
}

void vc_uplink_silence(vc_uplink *uplink) VD_NONBLOCKING {
  memset(uplink->pending, 0, uplink->fill * sizeof *uplink->pending);
  vd_encoder_reset(uplink->encoder);
}
