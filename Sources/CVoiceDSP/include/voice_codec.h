#ifndef VOICE_CODEC_H
#define VOICE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "voice_packet.h"
#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Samples of one 20 ms Opus frame at 48 kHz.
#define VD_FRAME_SAMPLES 960

/// Mono speech encoder: Opus VOIP, 48 kHz, 20 ms, in-band FEC on.
typedef struct vd_encoder vd_encoder;
/// Mono decoder with concealment, to 48 or 16 kHz.
typedef struct vd_decoder vd_decoder;

/// - bit_rate: bits per second, 6,000 to 510,000; 24,000 or more so that FEC is nearly free.
/// - expected_loss_pct: 5 to 100; libopus adds no redundancy at 0.
/// Result: 0, -EINVAL or -ENOMEM.
int vd_encoder_create(vd_encoder **out, int bit_rate, int expected_loss_pct);
void vd_encoder_destroy(vd_encoder *encoder);
/// Encodes 960 samples (48 kHz, -1..1). Result: bytes written, or a negative errno.
int vd_encoder_encode(vd_encoder *encoder, const float *frame, uint8_t *out,
                      size_t capacity) VD_NONBLOCKING;
void vd_encoder_reset(vd_encoder *encoder) VD_NONBLOCKING;

/// - rate_hz: 48000 or 16000.
int vd_decoder_create(vd_decoder **out, int rate_hz);
void vd_decoder_destroy(vd_decoder *decoder);
/// Decodes one packet; `payload` NULL conceals one 20 ms frame.
/// - fec: nonzero decodes the previous frame's redundancy from this packet instead.
/// Result: samples written (rate / 50), -EBADMSG when the payload is no 20 ms packet, or -ENOBUFS.
int vd_decoder_decode(vd_decoder *decoder, const uint8_t *payload, size_t bytes, int fec,
                      float *out, size_t capacity) VD_NONBLOCKING;
void vd_decoder_reset(vd_decoder *decoder) VD_NONBLOCKING;

VD_END_DECLS

#endif
