#include "local_speech.h"

#include <string.h>

/// Silero's own thresholds with its usual hysteresis.
#define VOICED_PROBABILITY 0.5f
#define UNVOICED_PROBABILITY 0.35f
/// Voiced windows that make speech: a single one may be a click.
#define VOICED_RUN_MIN 2
/// Unvoiced windows that end it: 320 ms.
#define UNVOICED_RUN_MAX 10
/// Capture frames of one window.
#define WINDOW_FRAMES (3 * VD_VAD_WINDOW_SAMPLES)

int vc_local_speech_create(vc_local_speech *speech, const vd_vad_weights *weights) {
  *speech = (vc_local_speech){.fresh = true};
  int result = vd_resampler_create(&speech->resampler, 48000, 16000);
  return result < 0 ? result : vd_vad_create(&speech->vad, weights);
}

void vc_local_speech_destroy(vc_local_speech *speech) {
  vd_resampler_destroy(speech->resampler);
  vd_vad_destroy(speech->vad);
  *speech = (vc_local_speech){0};
}

static void tell(vc_events *events, uint32_t kind, int64_t frame) {
  vc_events_add(events, &(vc_event){.kind = kind, .timestamp = (uint32_t)(frame < 0 ? 0 : frame)});
}

static bool is_silent(const float *window) {
  for (size_t i = 0; i < VD_VAD_WINDOW_SAMPLES; i++)
    if (window[i] != 0)
      return false;
  return true;
}

static void judge(vc_local_speech *speech, vc_events *events) {
  float probability = 0;
  // Digital silence (mute, gate) is judged without the network, and leaves no trace in it.
  if (is_silent(speech->window)) {
    if (!speech->fresh)
      vd_vad_reset(speech->vad);
    speech->fresh = true;
  } else {
    probability = vd_vad_process(speech->vad, speech->window);
    speech->fresh = false;
  }
  speech->windows++;
  if (probability >= VOICED_PROBABILITY) {
    if (speech->voiced_run++ == 0)
      speech->first_voiced = speech->window_start;
    speech->unvoiced_run = 0;
    speech->behind_voiced = speech->window_start + WINDOW_FRAMES;
    if (!speech->speaking && speech->voiced_run >= VOICED_RUN_MIN) {
      speech->speaking = true;
      tell(events, VC_EVENT_LOCAL_SPEECH_STARTED, speech->first_voiced);
    }
    return;
  }
  speech->voiced_run = 0;
  if (probability < UNVOICED_PROBABILITY)
    speech->unvoiced_run++;
  if (speech->speaking && speech->unvoiced_run >= UNVOICED_RUN_MAX) {
    speech->speaking = false;
    tell(events, VC_EVENT_LOCAL_SPEECH_STOPPED, speech->behind_voiced);
  }
}

void vc_local_speech_push(vc_local_speech *speech, const float *block, int64_t start,
                          vc_events *events) VD_NONBLOCKING {
  if (!speech->anchored)
    speech->window_start = start;
  speech->anchored = true;
  float narrow[VC_BLOCK_FRAMES];
  size_t used = 0;
  long count = vd_resampler_process(speech->resampler, block, VC_BLOCK_FRAMES, &used, narrow,
                                    VC_BLOCK_FRAMES);
  for (long i = 0; i < count; i++) {
    speech->window[speech->fill++] = narrow[i];
    if (speech->fill < VD_VAD_WINDOW_SAMPLES)
      continue;
    judge(speech, events);
    speech->fill = 0;
    speech->window_start += WINDOW_FRAMES;
  }
}

void vc_local_speech_cut(vc_local_speech *speech, vc_events *events) VD_NONBLOCKING {
  if (speech->speaking)
    tell(events, VC_EVENT_LOCAL_SPEECH_STOPPED, speech->behind_voiced);
  speech->speaking = speech->anchored = false;
  speech->voiced_run = speech->unvoiced_run = 0;
  speech->fill = 0;
  vd_resampler_reset(speech->resampler);
  vd_vad_reset(speech->vad);
  speech->fresh = true;
}
