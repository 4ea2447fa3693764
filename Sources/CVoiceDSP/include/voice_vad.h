#ifndef VOICE_VAD_H
#define VOICE_VAD_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Samples in one window: 32 ms at 16 kHz, the only rate of these weights.
#define VD_VAD_WINDOW_SAMPLES 512

/// The weights of Silero VAD v6 (16 kHz), read-only after loading, shared by any number of
/// detectors.
typedef struct vd_vad_weights vd_vad_weights;
/// One stream's detector. Without weights it judges by energy over an adaptive noise floor.
typedef struct vd_vad vd_vad;

/// Reads the weights from the safetensors file of the PyPI package `silero-vad`.
/// - error: receives a sentence naming file and cause; may be NULL.
/// Result: 0, -ENOENT, -EINVAL (not the expected tensors) or -ENOMEM. Role: any; blocks on the
/// disk.
int vd_vad_weights_load(vd_vad_weights **out, const char *path, char *error, size_t error_bytes);
void vd_vad_weights_release(vd_vad_weights *weights);
/// Creates a detector; `weights` may be NULL (energy detector) and must outlive it.
int vd_vad_create(vd_vad **out, const vd_vad_weights *weights);
void vd_vad_destroy(vd_vad *vad);
/// Judges the next window (512 samples, 16 kHz, -1..1). A window that is no signal (not a number,
/// or over 64) resets the detector and counts as silence. Result: probability of speech, 0..1.
/// Role: the stream's one thread.
float vd_vad_process(vd_vad *vad, const float *window) VD_NONBLOCKING;
/// Forgets the stream so far.
void vd_vad_reset(vd_vad *vad) VD_NONBLOCKING;

VD_END_DECLS

#endif
