#include "yielding.h"

/// What may be a person speaking over the agent makes it quieter by 15 dB.
#define DUCKED_GAIN 0.178f

void vc_yielding_init(vc_yielding *yielding) {
  *yielding = (vc_yielding){.gain = 1};
}

static void tell(vc_events *events, uint32_t kind, const vc_input *input,
                 const vc_progress *progress) {
  vc_events_add(events, &(vc_event){.kind = kind,
                                    .timestamp = (uint32_t)input->timing.capture_frames,
                                    .progress = *progress});
}

void vc_yielding_step(vc_yielding *yielding, const vc_local_speech *heard, const vc_input *input,
                      bool is_deaf, const vc_progress *progress, vc_playback *playback,
                      vc_events *events) VD_NONBLOCKING {
  vc_barge_state before = yielding->barge.state;
  vc_barge_input now = {.has_speech = vc_playback_has_speech(playback),
                        .has_window = heard->windows != yielding->windows && !is_deaf,
                        .is_voiced = heard->voiced_run > 0,
                        .is_flushed = input->flush_below > yielding->floor,
                        .releases = input->releases};
  yielding->windows = heard->windows;
  if (now.is_flushed)
    yielding->floor = input->flush_below;
  vc_barge_state after = vc_barge_in_step(&yielding->barge, &now);
  if (after == before)
    return;
  if (after == VC_BARGE_STOPPED) {
    vc_playback_hold(playback);
    tell(events, VC_EVENT_BARGE_IN, input, progress);
  } else if (after == VC_BARGE_GIVEN_UP) {
    tell(events, VC_EVENT_BARGE_IN_CONFIRMED, input, progress);
  } else if (after == VC_BARGE_NONE && before != VC_BARGE_DUCKED) {
    vc_playback_release(playback);
    if (!now.is_flushed) {
      yielding->overs++;
      tell(events, VC_EVENT_BARGE_IN_OVER, input, progress);
    }
  }
}

void vc_yielding_duck(vc_yielding *yielding, float *block) VD_NONBLOCKING {
  float from = yielding->gain;
  float to = yielding->barge.state == VC_BARGE_NONE ? 1.0f : DUCKED_GAIN;
  yielding->gain = to;
  if (from == 1.0f && to == 1.0f)
    return;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++)
    block[i] *= from + (to - from) * (float)(i + 1) / (float)VC_BLOCK_FRAMES;
}
