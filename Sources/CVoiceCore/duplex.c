#include "duplex.h"

#include "echo/echo_stage.h"

int vc_duplex_create(vc_duplex *duplex, uint8_t mode, const vd_vad_weights *weights) {
  *duplex = (vc_duplex){.mode = mode};
  if (mode != VC_HALF_DUPLEX_UNTIL_SHOWN)
    return 0;
  return vc_local_speech_create(&duplex->trial, weights);
}

void vc_duplex_destroy(vc_duplex *duplex) {
  vc_local_speech_destroy(&duplex->trial);
}

/// What the trial finds is nobody's speech yet: its events end here.
static void try_block(vc_duplex *duplex, const float *block, int64_t start) VD_NONBLOCKING {
  vc_event unused_events[VC_EVENTS_MAX];
  vc_events unused = {.events = unused_events};
  if (block && !duplex->policy.is_full)
    vc_local_speech_push(&duplex->trial, block, start, &unused);
  else if (duplex->trial.anchored)
    vc_local_speech_cut(&duplex->trial, &unused);
}

void vc_duplex_step(vc_duplex *duplex, const float *block, int64_t start, vc_duplex_input *input,
                    vc_events *events) VD_NONBLOCKING {
  duplex->gave_up = input->stage == VC_ECHO_GAVE_UP;
  if (duplex->mode != VC_HALF_DUPLEX_UNTIL_SHOWN)
    return;
  input->cancels = input->stage == VC_ECHO_CANCELS;
  try_block(duplex, block, start);
  input->has_window = duplex->trial.windows != duplex->windows;
  input->is_voiced = duplex->trial.voiced_run > 0;
  duplex->windows = duplex->trial.windows;
  bool was_full = duplex->policy.is_full;
  bool is_full = vc_duplex_policy_step(&duplex->policy, input);
  if (is_full != was_full)
    vc_events_add(events, &(vc_event){.kind = is_full ? VC_EVENT_FULL_DUPLEX : VC_EVENT_HALF_DUPLEX,
                                      .timestamp = (uint32_t)start});
}

bool vc_duplex_is_half(const vc_duplex *duplex) VD_NONBLOCKING {
  if (duplex->mode == VC_HALF_DUPLEX_UNTIL_SHOWN)
    return !duplex->policy.is_full;
  // What cannot be cancelled is not sent either.
  return duplex->mode == VC_HALF_DUPLEX_ALWAYS || duplex->gave_up;
}
