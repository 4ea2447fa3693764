#include "echo_stage.h"

#include <errno.h>
#include <stdlib.h>

#include "echo_canceller.h"
#include "echo_rate.h"
#include "suppressor.h"

/// Below this mean square the agent is silent: -60 dBFS.
#define SILENCE 1e-6f

struct vc_echo_stage {
  vc_echo *echo;
  vc_suppressor *suppressor;
  vc_decimator reference_rate, microphone_rate;
  vc_interpolator rate;
  uint32_t vain_blocks; ///< of the agent's speech without success
  bool cancels, has_cancelled;
};

int vc_echo_stage_create(vc_echo_stage **out) {
  vc_echo_stage *stage = calloc(1, sizeof *stage);
  if (!stage)
    return -ENOMEM;
  int result = vc_echo_create(&stage->echo);
  if (result == 0)
    result = vc_suppressor_create(&stage->suppressor);
  if (result < 0) {
    vc_echo_stage_destroy(stage);
    return result;
  }
  vc_decimator_prepare(&stage->reference_rate);
  vc_decimator_prepare(&stage->microphone_rate);
  vc_interpolator_prepare(&stage->rate);
  *out = stage;
  return 0;
}

void vc_echo_stage_destroy(vc_echo_stage *stage) {
  if (!stage)
    return;
  vc_echo_destroy(stage->echo);
  vc_suppressor_destroy(stage->suppressor);
  free(stage);
}

static bool speaks(const float *reference) VD_NONBLOCKING {
  float sum = 0;
  for (int i = 0; i < VC_ECHO_BLOCK; i++)
    sum += reference[i] * reference[i];
  return sum > SILENCE * VC_ECHO_BLOCK;
}

void vc_echo_stage_process(vc_echo_stage *stage, const float *reference, const float *microphone,
                           float *out) VD_NONBLOCKING {
  float sent[VC_ECHO_BLOCK], heard[VC_ECHO_BLOCK], clean[VC_ECHO_BLOCK];
  vc_decimator_process(&stage->reference_rate, reference, sent);
  vc_decimator_process(&stage->microphone_rate, microphone, heard);
  vc_echo_block block;
  vc_echo_process(stage->echo, sent, heard, &block);
  vc_suppressor_process(stage->suppressor, sent, &block, clean);
  vc_interpolator_process(&stage->rate, clean, out);
  stage->cancels = block.cancels;
  stage->has_cancelled = block.has_cancelled;
  if (block.cancels)
    stage->vain_blocks = 0;
  else if (speaks(sent) && stage->vain_blocks < VC_ECHO_PATIENCE_BLOCKS)
    stage->vain_blocks++;
}

void vc_echo_stage_restart(vc_echo_stage *stage) VD_NONBLOCKING {
  vc_echo_restart(stage->echo);
  stage->cancels = stage->has_cancelled = false;
  stage->vain_blocks = 0;
}

uint8_t vc_echo_stage_state(const vc_echo_stage *stage) VD_NONBLOCKING {
  if (stage->cancels)
    return stage->has_cancelled ? VC_ECHO_CANCELS : VC_ECHO_UNHEARD;
  return stage->vain_blocks < VC_ECHO_PATIENCE_BLOCKS ? VC_ECHO_LEARNING : VC_ECHO_GAVE_UP;
}

size_t vc_echo_stage_latency_frames(void) VD_NONBLOCKING {
  return VC_RATE_LATENCY_FRAMES + 3 * VC_SUPPRESSOR_LATENCY;
}
