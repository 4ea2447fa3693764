#ifndef SCRIPTED_FAULTS_H
#define SCRIPTED_FAULTS_H

#include "scripted_device.h"

// The moments of a fault, and how its figures are gathered.

/// Before the start, in the first period, in the steady state, during a recovery, twice in a row.
enum { SCRIPTED_MOMENTS = 5 };

extern const char *const scripted_kinds[FAULT_KINDS];

/// Milliseconds as nanoseconds.
int64_t scripted_ms(double milliseconds);
void scripted_add_at(scripted_setting *setting, fault_kind kind, int side, double at_ms,
                     double length_ms);
/// - moment: one of SCRIPTED_MOMENTS.
/// - length: of the fault, in ms.
void scripted_add_moment(scripted_setting *setting, fault_kind kind, int side, int moment,
                         double length);
/// Prints the run where CHECKS_VERBOSE is set.
void scripted_show(const char *what, const scripted_result *r, const ad_pair_loop *loop);
void scripted_worst(double *worst, double value);

#endif
