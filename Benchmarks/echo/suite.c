#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/// The core reads its reference 10 ms ahead of the echo, where the device has so much.
#define LEAD_MS 10

static double thread_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int suite_run(const row_kind *row, const scene *scene, float *output, echo_judgement *judgement) {
  void *state = row->create(row->option);
  if (!state)
    return -1;
  size_t blocks = scene->count / ROW_BLOCK;
  double *cost = malloc(blocks * sizeof *cost);
  double reported = scene->plan.delay_ms, lead = reported < LEAD_MS ? reported : LEAD_MS;
  long shift = row->is_aligned ? (long)((reported - lead) * SCENE_RATE / 1000) : 0;
  int delay_ms = row->is_aligned ? (int)lead : (int)(scene->plan.delay_ms + scene->plan.hidden_ms);
  const float *source = row->is_aligned ? scene->played : scene->sent;
  for (size_t b = 0; b < blocks; b++) {
    float reference[ROW_BLOCK];
    for (size_t i = 0; i < ROW_BLOCK; i++) {
      long at = (long)(b * ROW_BLOCK + i) - shift;
      reference[i] = at >= 0 ? source[at] : 0;
    }
    double begun = thread_us();
    row->process(state, reference, scene->microphone + b * ROW_BLOCK, delay_ms,
                 output + b * ROW_BLOCK);
    cost[b] = thread_us() - begun;
  }
  row->destroy(state);
  qsort(cost, blocks, sizeof *cost, rising);
  judgement->cpu_p50_us = cost[blocks / 2];
  judgement->cpu_p99_us = cost[blocks * 99 / 100];
  free(cost);
  return 0;
}
