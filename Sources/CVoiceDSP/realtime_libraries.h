#ifndef REALTIME_LIBRARIES_H
#define REALTIME_LIBRARIES_H

#include <opus/opus.h>
#include <samplerate.h>

#include "voice_realtime.h"

// libopus and libsamplerate know nothing of function effects. The calls below were seen clean under
// RealtimeSanitizer (Tests/sanitize-core.sh repeats that), so they are declared again with the
// promise; any other call into these libraries from a realtime path fails to compile.

opus_int32 opus_encode_float(OpusEncoder *st, const float *pcm, int frame_size, unsigned char *data,
                             opus_int32 max_data_bytes) VD_NONBLOCKING;
int opus_encoder_ctl(OpusEncoder *st, int request, ...) VD_NONBLOCKING;
int opus_decode_float(OpusDecoder *st, const unsigned char *data, opus_int32 len, float *pcm,
                      int frame_size, int decode_fec) VD_NONBLOCKING;
int opus_decoder_ctl(OpusDecoder *st, int request, ...) VD_NONBLOCKING;
int opus_packet_get_nb_samples(const unsigned char packet[], opus_int32 len,
                               opus_int32 Fs) VD_NONBLOCKING;

int src_process(SRC_STATE *state, SRC_DATA *data) VD_NONBLOCKING;
int src_reset(SRC_STATE *state) VD_NONBLOCKING;

#endif
