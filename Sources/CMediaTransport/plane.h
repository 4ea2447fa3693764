#ifndef PLANE_H
#define PLANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "downlink.h"
#include "media_plane.h"
#include "uplink.h"

struct mt_call {
  mt_plane *plane;
  uint32_t slot;
  uplink up;
  // Made by control with the first speech: a call that only listens does without it.
  _Atomic(downlink *) down;
  // The control thread's own:
  uint32_t next_generation;
  uint64_t packets_received;
  uint64_t packets_sent;
  uint64_t receive_dropped;
  uint64_t speech_refused;
};

/// Who may touch a slot's call. Control moves EMPTY -> OPEN -> CLOSING and CLOSED -> EMPTY, the
/// media thread CLOSING -> CLOSED: after that it never looks at the call again, so control may free
/// it.
typedef enum { SLOT_EMPTY, SLOT_OPEN, SLOT_CLOSING, SLOT_CLOSED } slot_state;

typedef struct {
  _Atomic int state;
  mt_call *call;
} call_slot;

struct mt_plane {
  mt_config config;
  call_slot *slots;
  _Atomic uint32_t slots_used; // the highest slot ever in use, plus one
  // Windows and packets that control may take; `ready` is readable while it is not zero.
  _Atomic size_t pending;
  _Atomic int is_ready;
  int ready;
  int wake;
  _Atomic int is_woken;
  _Atomic int is_stopping;
  int has_thread;
  pthread_t thread;
  // The media thread's own:
  int is_active;
  size_t pushed;
};

/// Tells the plane's thread that there is work. Role: control.
void mt_plane_wake(mt_plane *plane);
/// Makes the descriptor readable. Role: the plane's thread.
void mt_plane_announce(mt_plane *plane);
/// Counts what control took, and makes the descriptor unreadable after the last. Role: control.
void mt_plane_settle(mt_plane *plane, size_t taken);

#endif
