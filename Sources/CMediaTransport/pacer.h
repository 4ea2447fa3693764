#ifndef PACER_H
#define PACER_H

#include <stdint.h>

#include "voice_realtime.h"

/// When speech may go out ahead of its time. A value without a clock: the first `lead_first` at
/// once, then twice real time until `lead` is reached, then real time. Speech that follows while
/// earlier speech is still playing goes on from there; after a pause the lead is built anew.
typedef struct {
  int64_t lead_first_ns;
  int64_t lead_ns;
  int64_t begin_ns; ///< when the first speech since the last pause went out
  int64_t sent_ns;  ///< speech sent since then
  uint8_t has_begun;
} pacer;

/// Whether the next packet of `packet_ns` of speech may go out at `now_ns`.
int mt_pacer_is_due(pacer *state, int64_t packet_ns, int64_t now_ns) VD_NONBLOCKING;
/// Counts a packet that went out.
void mt_pacer_sent(pacer *state, int64_t packet_ns) VD_NONBLOCKING;
/// The listener dropped what it had: the lead is built anew.
void mt_pacer_restart(pacer *state) VD_NONBLOCKING;

#endif
