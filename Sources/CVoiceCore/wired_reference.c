#include "wired_reference.h"

#include "voice_core.h"

/// Mean squares: what is played from -50 dBFS on; a channel that is silent stays below -60 dBFS, as
/// a converter's own noise does and a microphone with somebody speaking does not.
#define PLAYED 1e-5f
#define SILENT 1e-6f
/// The playout clock may be late by what a device hides: 0.5 s after the last sound nothing is
/// played.
#define TAIL_BLOCKS 50
/// Proof: 0.3 s of silence with silence, 0.2 s of sound with sound.
#define CALM_BLOCKS 30
#define SOUNDING_BLOCKS 20
/// Refusal: 50 ms of sound with nothing played, or 2 s of the agent without a sound.
#define NOISY_BLOCKS 5
#define DEAD_BLOCKS 200

static float mean_square(const float *block) VD_NONBLOCKING {
  float sum = 0;
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    sum += block[i] * block[i];
  return sum / VC_BLOCK_FRAMES;
}

bool vc_wired_reference_step(vc_wired_reference *reference, const float *wired,
                             const float *played) VD_NONBLOCKING {
  bool sounds = mean_square(wired) > SILENT;
  bool is_played = mean_square(played) > PLAYED;
  reference->quiet_blocks = is_played ? 0 : reference->quiet_blocks + 1;
  bool is_over = reference->quiet_blocks > TAIL_BLOCKS;
  reference->noisy_run = is_over && sounds ? reference->noisy_run + 1 : 0;
  reference->calm_blocks += is_over && !sounds;
  if (is_played) {
    reference->sounding_blocks += sounds;
    reference->dead_run = sounds ? 0 : reference->dead_run + 1;
  }
  if (reference->noisy_run >= NOISY_BLOCKS || reference->dead_run >= DEAD_BLOCKS)
    reference->state = VC_REFERENCE_REFUSED;
  else if (reference->state == VC_REFERENCE_WRITTEN && reference->calm_blocks >= CALM_BLOCKS &&
           reference->sounding_blocks >= SOUNDING_BLOCKS)
    reference->state = VC_REFERENCE_WIRED;
  return vc_wired_reference_is_used(reference);
}

bool vc_wired_reference_is_used(const vc_wired_reference *reference) VD_NONBLOCKING {
  return reference->state == VC_REFERENCE_WIRED;
}

uint8_t vc_wired_reference_state(const vc_wired_reference *reference) VD_NONBLOCKING {
  return reference->state;
}
