#ifndef VC_UPLINK_H
#define VC_UPLINK_H

#include "voice_codec.h"
#include "voice_core.h"

/// Longest hole in the capture that is filled with silence: 200 ms. What is longer, and what is no
/// whole packet, is a jump of the timestamps.
#define VC_GAP_FILL_FRAMES 9600
/// Frames by which a decoded sample lags behind the encoder's input: libopus, VOIP, 48 kHz.
#define VC_CODEC_LATENCY_FRAMES 312

/// The way up: samples to Opus packets of 20 ms whose timestamp is the capture frame of the first
/// sample that a decoder gives back.
typedef struct {
  vd_encoder *encoder;
  float pending[VD_FRAME_SAMPLES];
  size_t fill;
  size_t skip; ///< samples left of what lies before the first packet
  uint64_t next_timestamp;
  uint32_t sequence;
  uint16_t participant;
} vc_uplink;

/// - latency_frames: by which the samples given lag behind the microphone.
int vc_uplink_create(vc_uplink *uplink, const vc_config *config, size_t latency_frames);
void vc_uplink_destroy(vc_uplink *uplink);
/// Takes samples; appends the packets that became full to `output`.
void vc_uplink_push(vc_uplink *uplink, const float *samples, size_t count,
                    vc_output *output) VD_NONBLOCKING;
/// Lets lost capture time pass: silence in whole packets up to VC_GAP_FILL_FRAMES, then a jump.
void vc_uplink_skip(vc_uplink *uplink, uint64_t frames, vc_output *output) VD_NONBLOCKING;
/// Forgets every sample that was not sent yet, the encoder's memory too.
void vc_uplink_silence(vc_uplink *uplink) VD_NONBLOCKING;

#endif
