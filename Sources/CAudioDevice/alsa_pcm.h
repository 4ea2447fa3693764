#ifndef AD_ALSA_PCM_H
#define AD_ALSA_PCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample_format.h"
#include "voice_core.h"

/// Poll descriptors of one PCM at most.
#define AD_POLL_MAX 8

/// One direction of a device. Every call into alsa-lib that the audio thread makes is in
/// `alsa_pcm.c`, the one file here that is exempt from the `nonblocking` check.
typedef struct ad_pcm ad_pcm;

/// State of a PCM as far as it decides what to do.
typedef enum { AD_READY, AD_RUNNING, AD_DRY, AD_SUSPENDED, AD_GONE } ad_pcm_state;

/// Opens a PCM at 48 kHz with periods of 10 ms, or what comes near.
/// Result: 0 or the negative errno of alsa-lib; -EINVAL when it has no format that is usable.
/// Role: application; blocks.
int ad_pcm_open(ad_pcm **out, const char *name, bool capture);
void ad_pcm_close(ad_pcm *pcm);
/// Name, format, rate, channels, period and buffer, for people.
void ad_pcm_describe(const ad_pcm *pcm, char *out, size_t bytes);
uint32_t ad_pcm_period_frames(const ad_pcm *pcm) VD_NONBLOCKING;
uint32_t ad_pcm_buffer_frames(const ad_pcm *pcm) VD_NONBLOCKING;
/// Whether a PCM of that name is defined in ALSA's configuration. Role: application.
bool ad_pcm_is_defined(const char *name);

// The rest: the audio thread only. Results are 0 or more, or a negative errno.

int ad_pcm_prepare(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_start(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_drop(ad_pcm *pcm) VD_NONBLOCKING;
int ad_pcm_resume(ad_pcm *pcm) VD_NONBLOCKING;
ad_pcm_state ad_pcm_get_state(ad_pcm *pcm) VD_NONBLOCKING;
/// Frames that can be read or written now.
long ad_pcm_avail(ad_pcm *pcm) VD_NONBLOCKING;
/// Frames between the application and the hardware, never out of range.
uint32_t ad_pcm_delay_frames(ad_pcm *pcm) VD_NONBLOCKING;
/// Reads one block as mono; -EAGAIN when it is not there yet.
int ad_pcm_read_block(ad_pcm *pcm, float *mono) VD_NONBLOCKING;
/// Writes up to VC_SPEAKER_FRAMES_MAX frames; returns how many were taken.
long ad_pcm_write(ad_pcm *pcm, const float *mono, size_t count) VD_NONBLOCKING;
/// Waits until the PCM is ready, `stop` is readable or `timeout_ms` has passed.
/// Result: 1 ready (or in trouble: ask for its state), 0 timed out, 2 stop.
int ad_pcm_wait(ad_pcm *pcm, int stop, int timeout_ms) VD_NONBLOCKING;

/// The monotonic clock.
int64_t ad_now_ns(void) VD_NONBLOCKING;
/// Waits on the clock, for what no descriptor announces. At most 50 ms.
void ad_pause_ns(int64_t duration_ns) VD_NONBLOCKING;

#endif
