#include "scripted_faults.h"

#include <stdio.h>
#include <stdlib.h>

const char *const scripted_kinds[FAULT_KINDS] = {
    [FAULT_NONE] = "none",
    [FAULT_XRUN] = "xrun",
    [FAULT_SUSPEND] = "suspend",
    [FAULT_SUSPEND_AGAIN] = "suspend, resume again",
    [FAULT_SUSPEND_NEVER] = "suspend, resume never",
    [FAULT_SUSPEND_LIES] = "suspend, resume lies",
    [FAULT_STALL] = "stall",
    [FAULT_BAD_STATE] = "bad state",
    [FAULT_INPUT_OUTPUT] = "start fails",
    [FAULT_PREPARE_FAILS] = "prepare fails",
    [FAULT_STATE_LIES] = "state lies",
    [FAULT_POLL_ALWAYS] = "poll always ready, clock stopped",
    [FAULT_POLL_NEVER] = "poll never ready",
    [FAULT_NONSENSE_REPORT] = "nonsense reports",
    [FAULT_ZEROS] = "exact zeros",
    [FAULT_GONE] = "unplugged",
    [FAULT_BACK] = "plugged in again",
};

int64_t scripted_ms(double milliseconds) {
  return (int64_t)(milliseconds * 1e6);
}

void scripted_add_at(scripted_setting *setting, fault_kind kind, int side, double at_ms,
                     double length_ms) {
  scripted_add(setting, (scripted_fault){.kind = kind,
                                         .side = side,
                                         .at_ns = scripted_ms(at_ms),
                                         .length_ns = scripted_ms(length_ms)});
}

void scripted_add_moment(scripted_setting *setting, fault_kind kind, int side, int moment,
                         double length) {
  static const double steady = 1003.3;
  switch (moment) {
  case 0:
    scripted_add_at(setting, kind, side, 0, length);
    break;
  case 1:
    scripted_add_at(setting, kind, side, 3, length);
    break;
  case 2:
    scripted_add_at(setting, kind, side, steady, length);
    break;
  case 3:
    scripted_add_at(setting, FAULT_XRUN, side, steady, 0);
    scripted_add(setting, (scripted_fault){.kind = kind,
                                           .side = side,
                                           .moment = FAULT_AT_PREPARE,
                                           .after = 2,
                                           .length_ns = scripted_ms(length)});
    break;
  default:
    scripted_add_at(setting, kind, side, steady, length);
    scripted_add_at(setting, kind, side, steady + length + 3, length);
    break;
  }
}

void scripted_show(const char *what, const scripted_result *r, const ad_pair_loop *loop) {
  if (getenv("CHECKS_VERBOSE"))
    printf("    %s: blocks %lu gap %.1f unplayed %lu wrong %lu heard %.2f timeline %.2f flight "
           "%.0f..%.0f waits %lu ended %.1f lost '%s' xruns %lu\n",
           what, (unsigned long)r->captured_blocks, r->longest_gap_ms,
           (unsigned long)r->told_unplayed, (unsigned long)r->wrongly_told, r->worst_heard_ms,
           r->worst_timeline_ms, r->least_in_flight, r->most_in_flight,
           (unsigned long)r->most_waits_per_100, r->ended_ms, loop->lost_reason,
           (unsigned long)loop->counters.xruns);
}

void scripted_worst(double *worst, double value) {
  *worst = value > *worst ? value : *worst;
}
