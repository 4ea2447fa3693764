#include "barge_in.h"

/// Of the last four windows so many are voiced when a person speaks: 96 ms of voice. One or two are
/// a door, a click, a breath.
#define WINDOWS_LOOKED_AT 0xFu
#define VOICED_TO_STOP 3
/// Voice that is no "mm-hm" any more: 512 ms.
#define VOICED_TO_GIVE_UP 16
/// Rounded up: 32 ms.
#define BLOCKS_OF_A_WINDOW 4
/// Without a voiced window for so long it was nothing: 200 ms.
#define BLOCKS_TO_UNDUCK 20
/// Nobody said what became of it: the agent goes on 2.5 s after the last voiced window.
#define BLOCKS_TO_GO_ON 250

static uint32_t count_bits(uint32_t bits) {
  uint32_t count = 0;
  for (; bits; bits &= bits - 1)
    count++;
  return count;
}

static bool is_spoken_over(const vc_barge_in *barge) {
  return count_bits(barge->recent & WINDOWS_LOOKED_AT) >= VOICED_TO_STOP &&
         barge->blocks < BLOCKS_OF_A_WINDOW;
}

static vc_barge_state stop(vc_barge_in *barge) {
  barge->voiced = VOICED_TO_STOP;
  return VC_BARGE_STOPPED;
}

static vc_barge_state follow(vc_barge_in *barge, const vc_barge_input *input, bool is_voiced) {
  switch (barge->state) {
  case VC_BARGE_NONE:
    if (!input->has_speech)
      return VC_BARGE_NONE;
    // Also an agent that begins while somebody speaks waits at once.
    if (is_spoken_over(barge))
      return stop(barge);
    return is_voiced ? VC_BARGE_DUCKED : VC_BARGE_NONE;
  case VC_BARGE_DUCKED:
    if (!input->has_speech || barge->blocks >= BLOCKS_TO_UNDUCK)
      return VC_BARGE_NONE;
    return is_spoken_over(barge) ? stop(barge) : VC_BARGE_DUCKED;
  case VC_BARGE_STOPPED:
    barge->voiced += is_voiced;
    if (barge->voiced >= VOICED_TO_GIVE_UP)
      return VC_BARGE_GIVEN_UP;
    break;
  case VC_BARGE_GIVEN_UP:
    break;
  }
  // The word of what becomes of it may be lost on the way; a voice that stays away is worse.
  return barge->blocks >= BLOCKS_TO_GO_ON ? VC_BARGE_NONE : barge->state;
}

vc_barge_state vc_barge_in_step(vc_barge_in *barge, const vc_barge_input *input) VD_NONBLOCKING {
  bool is_voiced = input->has_window && input->is_voiced;
  bool is_settled = input->is_flushed || input->releases != barge->releases;
  barge->releases = input->releases;
  if (input->has_window)
    barge->recent = barge->recent << 1 | is_voiced;
  barge->blocks = is_voiced ? 0 : barge->blocks + 1;
  if (is_settled) {
    // The windows that stopped it were looked at: they shall not stop it again.
    barge->recent = 0;
    barge->state = VC_BARGE_NONE;
  } else {
    barge->state = follow(barge, input, is_voiced);
  }
  return barge->state;
}
