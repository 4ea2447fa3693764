#ifndef REORDER_H
#define REORDER_H

#include <stdint.h>

#include "voice_packet.h"
#include "voice_realtime.h"

enum {
  /// Packets waited for at most when one is missing: 80 ms.
  REORDER_WINDOW = 4,
  /// A sequence number further off than this (5 s) comes from a sender that began anew.
  REORDER_RESTART_DISTANCE = 250,
  /// Late packets that follow each other, nothing else between (200 ms): not stragglers but another
  /// sender, which began anew with numbers near the old ones (RFC 3550, A.1, does so after two).
  REORDER_LATE_RUN = 10,
};

/// Puts packets of one sender in order. A value: no clock, nothing to free.
typedef struct {
  uint32_t expected; ///< the sequence number that comes next
  uint8_t has_begun;
  uint8_t late_run;   ///< late packets that followed each other
  uint32_t late_next; ///< what the next of them would be
  uint8_t is_held[REORDER_WINDOW];
  vd_packet held[REORDER_WINDOW];
} reorder;

typedef enum {
  REORDER_FITS,    ///< put it in
  REORDER_BEYOND,  ///< move on first, until it fits
  REORDER_LATE,    ///< its place has passed, or it is a duplicate
  REORDER_RESTART, ///< begin anew with it
} reorder_verdict;

/// What to do with a packet of this sequence number.
reorder_verdict mt_reorder_judge(const reorder *order, uint32_t sequence) VD_NONBLOCKING;
/// Notes a late packet. Result: whether a run of them says that another sender began.
int mt_reorder_note_late(reorder *order, uint32_t sequence) VD_NONBLOCKING;
/// Takes in a packet that fits.
void mt_reorder_put(reorder *order, const vd_packet *packet) VD_NONBLOCKING;
/// Forgets what is held and expects `sequence` next.
void mt_reorder_restart(reorder *order, uint32_t sequence) VD_NONBLOCKING;
/// Whether the next packet is there.
int mt_reorder_is_ready(const reorder *order) VD_NONBLOCKING;
/// Whether any packet waits for one before it.
int mt_reorder_holds_any(const reorder *order) VD_NONBLOCKING;
/// Moves on by one. Result: the packet of that place, valid until the next put, or NULL: it is
/// lost.
const vd_packet *mt_reorder_advance(reorder *order) VD_NONBLOCKING;

#endif
