#ifndef ECHO_SUITE_H
#define ECHO_SUITE_H

#include "judge.h"
#include "row.h"

/// Runs a row over a scene. Result: 0, or -1 when the row cannot be had.
int suite_run(const row_kind *row, const scene *scene, float *output, echo_judgement *judgement);

#endif
