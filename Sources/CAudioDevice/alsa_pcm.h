#ifndef AD_ALSA_PCM_H
#define AD_ALSA_PCM_H

#include <stddef.h>

#include "alsa_calls.h"
#include "pair_recovery.h"
#include "sample_format.h"
#include "voice_core.h"

#define AD_PCM_NAME_BYTES 128

/// What a PCM was opened as. Frames are the device's own, at its own rate.
typedef struct {
  snd_pcm_t *handle;
  const ad_alsa_calls *calls;
  bool captures;
  bool is_mapped; ///< memory-mapped access
  bool is_batch;  ///< tells its position in bursts of a period
  ad_format format;
  uint32_t rate_hz;
  uint32_t channels;
  uint32_t period, buffer;
  uint32_t mask;      ///< channels that carry the sound
  uint32_t reference; ///< channels with what the speaker plays, wired back; 0: none
  char name[AD_PCM_NAME_BYTES];
} ad_pcm_shape;

/// One direction of a device as blocks of 10 ms at 48 kHz, mono, whatever it is itself.
typedef struct ad_pcm ad_pcm;

/// Takes over the handle. Result: 0, -EINVAL (the shape) or -ENOMEM, then the handle is closed.
/// Role: application.
int ad_pcm_create(ad_pcm **out, const ad_pcm_shape *shape);
/// NULL is allowed. Role: application.
void ad_pcm_close(ad_pcm *pcm);
/// Locks its memory. Result: 0 or a negative errno. Role: any.
int ad_pcm_lock(ad_pcm *pcm);
/// Name, format, rate, channels, access, period and buffer, for people; the name is the first word.
void ad_pcm_describe(const ad_pcm *pcm, char *out, size_t bytes);
const ad_pcm_shape *ad_pcm_shape_of(const ad_pcm *pcm) VD_NONBLOCKING;
/// Frames of the device as frames at 48 kHz, rounded up.
uint32_t ad_pcm_at_48k(const ad_pcm *pcm, uint64_t frames) VD_NONBLOCKING;

// The rest: the audio thread only. Frames are at 48 kHz. Results are 0 or more, or a negative
// errno.

ad_pcm_state ad_pcm_get_state(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_resume(ad_pcm *pcm) VD_NONBLOCKING;
/// Drops what is in it and prepares it anew.
int ad_pcm_prepare(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_start(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_drop(ad_pcm *pcm) VD_NONBLOCKING;

/// Frames that wait to be read, those here included.
long ad_pcm_waiting(ad_pcm *pcm) VD_NONBLOCKING;
/// Reads one block; -EAGAIN when it is not there yet.
/// - reference: receives what the speaker plays, where the device has such a channel; else zeros.
int ad_pcm_read_block(ad_pcm *pcm, float *mono, float *reference) VD_NONBLOCKING;
/// Writes up to VC_SPEAKER_FRAMES_MAX frames. Result: for how many of them there was no room.
long ad_pcm_write(ad_pcm *pcm, const float *mono, size_t count) VD_NONBLOCKING;
/// Writes silence. Result: the frames taken.
long ad_pcm_write_silence(ad_pcm *pcm, uint32_t frames) VD_NONBLOCKING;

/// Asks the device where it stands; one call into it.
int ad_pcm_report_to(ad_pcm *pcm, ad_pcm_report *report) VD_NONBLOCKING;
/// Frames between the end of the last block and the air, at `now_ns`: captured and not read, or
/// written and not heard. Whatever the driver says, it is in range.
/// - has_moved: whether the device's position is another than at the last call.
uint32_t ad_pcm_delay(ad_pcm *pcm, const ad_pcm_report *report, int64_t now_ns,
                      bool *has_moved) VD_NONBLOCKING;
/// Frames of what was written that are not played yet and would be lost by a restart.
/// - now_ns: for a device that does not say.
uint32_t ad_pcm_unplayed(ad_pcm *pcm, int64_t now_ns) VD_NONBLOCKING;

#endif
