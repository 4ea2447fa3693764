#include "pacer.h"

int mt_pacer_is_due(pacer *state, int64_t packet_ns, int64_t now_ns) VD_NONBLOCKING {
  // What was sent has all been played: the listener waits, and its timeline begins anew.
  if (!state->has_begun || now_ns - state->begin_ns > state->sent_ns) {
    state->has_begun = 1;
    state->begin_ns = now_ns;
    state->sent_ns = 0;
  }
  const int64_t elapsed_ns = now_ns - state->begin_ns;
  const int64_t rising_ns = state->lead_first_ns + 2 * elapsed_ns;
  const int64_t steady_ns = state->lead_ns + elapsed_ns;
  const int64_t allowed_ns = rising_ns < steady_ns ? rising_ns : steady_ns;
  return state->sent_ns + packet_ns <= allowed_ns;
}

void mt_pacer_sent(pacer *state, int64_t packet_ns) VD_NONBLOCKING {
  state->sent_ns += packet_ns;
}

void mt_pacer_restart(pacer *state) VD_NONBLOCKING {
  state->has_begun = 0;
}
