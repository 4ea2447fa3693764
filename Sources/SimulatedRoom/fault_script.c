#include "fault_script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simroom.h"

#define FRAMES_PER_MS 48

static int kind_of(const char *name) {
  static const char *const names[] = {"xrun",   "suspend", "stall",        "unplug",
                                      "replug", "jump",    "lying-suspend"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return SIMROOM_FAULT_XRUN + (int)i;
  return 0;
}

static int read_fault(scripted_fault *fault, const char *text) {
  double at = 0, length = 0;
  char kind[16] = "", direction = 'b';
  int read = sscanf(text, "%lf:%15[a-z-]:%c:%lf", &at, kind, &direction, &length);
  fault->fault = read >= 2 ? kind_of(kind) : 0;
  fault->frame = (int64_t)(at * FRAMES_PER_MS);
  fault->frames = (int64_t)(length * FRAMES_PER_MS);
  fault->directions = direction == 'p'   ? SIMROOM_PLAYBACK
                      : direction == 'c' ? SIMROOM_CAPTURE
                                         : SIMROOM_PLAYBACK | SIMROOM_CAPTURE;
  bool is_valid = fault->fault && at >= 0 && length >= 0 && strchr("pcb", direction);
  return is_valid ? 0 : -EINVAL;
}

int fault_script_read(fault_script *script, const char *text) {
  *script = (fault_script){0};
  while (*text) {
    if (script->count == FAULT_SCRIPT_MAX)
      return -EINVAL;
    scripted_fault *fault = &script->faults[script->count];
    if (read_fault(fault, text) || (script->count && fault->frame < fault[-1].frame))
      return -EINVAL;
    script->count++;
    const char *comma = strchr(text, ',');
    text = comma ? comma + 1 : text + strlen(text);
  }
  return 0;
}

const scripted_fault *fault_script_due(fault_script *script, int64_t now) {
  if (script->next == script->count || script->faults[script->next].frame > now)
    return NULL;
  return &script->faults[script->next++];
}
