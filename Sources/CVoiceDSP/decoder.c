#include <stdlib.h>

#include "opus_error.h"
#include "realtime_libraries.h"
#include "voice_codec.h"

struct vd_decoder {
  OpusDecoder *opus;
  int rate_hz;
};

int vd_decoder_create(vd_decoder **out, int rate_hz) {
  if (out == NULL || (rate_hz != 48000 && rate_hz != 16000)) {
    return -EINVAL;
  }
  *out = NULL;
  vd_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL) {
    return -ENOMEM;
  }
  int error = OPUS_OK;
  decoder->opus = opus_decoder_create(rate_hz, 1, &error);
  if (decoder->opus == NULL) {
    free(decoder);
    return opus_errno(error);
  }
  decoder->rate_hz = rate_hz;
  *out = decoder;
  return 0;
}

void vd_decoder_destroy(vd_decoder *decoder) {
  if (decoder == NULL) {
    return;
  }
  opus_decoder_destroy(decoder->opus);
  free(decoder);
}

int vd_decoder_decode(vd_decoder *decoder, const uint8_t *payload, size_t bytes, int fec,
                      float *out, size_t capacity) VD_NONBLOCKING {
  const int frame = decoder->rate_hz / 50;
  if (capacity < (size_t)frame) {
    return -ENOBUFS;
  }
  if (payload == NULL) {
    const int concealed = opus_decode_float(decoder->opus, NULL, 0, out, frame, 0);
    return concealed < 0 ? opus_errno(concealed) : concealed;
  }
  // Whatever comes from the network: libopus takes an empty packet for a lost one, and a longer or
  // shorter frame would shift the sender's timeline.
  if (bytes == 0 || bytes > VD_PACKET_PAYLOAD_MAX) {
    return -EBADMSG;
  }
  if (opus_packet_get_nb_samples(payload, (opus_int32)bytes, decoder->rate_hz) != frame) {
    return -EBADMSG;
  }
  const int samples =
      opus_decode_float(decoder->opus, payload, (opus_int32)bytes, out, frame, fec != 0);
  return samples < 0 ? opus_errno(samples) : samples;
}

void vd_decoder_reset(vd_decoder *decoder) VD_NONBLOCKING {
  (void)opus_decoder_ctl(decoder->opus, OPUS_RESET_STATE);
}
