#ifndef FAULT_SCRIPT_H
#define FAULT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Faults of one script at most.
#define FAULT_SCRIPT_MAX 64

typedef struct {
  int64_t frame; ///< of the room
  int fault, directions;
  int64_t frames;
} scripted_fault;

/// What goes wrong in a room, in order of time.
typedef struct {
  scripted_fault faults[FAULT_SCRIPT_MAX];
  size_t count, next;
} fault_script;

/// Reads `MS:KIND[:DIRECTION[:LENGTH_MS]],...`: kinds xrun, suspend, lying-suspend, stall, jump,
/// unplug, replug; directions p, c or b (both, the default); times rising.
/// Result: 0 or -EINVAL.
int fault_script_read(fault_script *script, const char *text);
/// The next fault that is due at `now`, or NULL.
const scripted_fault *fault_script_due(fault_script *script, int64_t now);

#endif
