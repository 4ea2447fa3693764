#include <stdlib.h>
#include <string.h>

#include "echo/bulk_delay.h"
#include "echo/echo_canceller.h"
#include "echo/suppressor.h"
#include "row.h"

/// Samples at 16 kHz that the playout clock remembers.
#define HISTORY 32768
/// The canceller's reference comes so much before the echo, in samples: 10 ms.
#define LEAD 160
/// What of a found delay is the air between speaker and microphone, and moves no clock: 3 ms.
#define AIR 48
/// A delay that differs by less is left alone: 2 ms.
#define NEAR 32

/// Our chain as the core runs it: below the device's rate, with a clock that is corrected by the
/// delay that is found.
typedef struct {
  vc_bulk_delay *delay;
  vc_echo *echo;
  vc_suppressor *suppressor;
  void *second;
  float history[HISTORY];
  size_t heard;
  long hidden;
} row;

void *ours_row_create(int option) {
  row *row = calloc(1, sizeof *row);
  vc_bulk_delay_create(&row->delay);
  vc_echo_create(&row->echo);
  if (option == OURS_WEBRTC)
    row->second = webrtc_row_create(WEBRTC_LOW);
  if (option == OURS_OWN_SUPPRESSOR)
    vc_suppressor_create(&row->suppressor);
  return row;
}

static float heard_at(const row *row, long index) {
  return index >= 0 && index < (long)row->heard ? row->history[index % HISTORY] : 0;
}

/// - reference: ahead of the device's report by `lead_ms`.
void ours_row_process(void *state, const float *reference, const float *microphone, int lead_ms,
                      float *out) {
  row *row = state;
  long lead = lead_ms * 16;
  for (size_t i = 0; i < ROW_BLOCK; i++)
    row->history[row->heard++ % HISTORY] = reference[i];
  float reported[ROW_BLOCK], corrected[ROW_BLOCK];
  long start = (long)row->heard - ROW_BLOCK - lead;
  for (long i = 0; i < ROW_BLOCK; i++)
    reported[i] = heard_at(row, start + i);
  vc_bulk_delay_push_narrow(row->delay, reported, microphone);
  uint32_t frames;
  if (vc_bulk_delay_read(row->delay, &frames)) {
    long hidden = (long)frames / 3 - AIR;
    if (labs(hidden - row->hidden) > NEAR) {
      row->hidden = hidden;
      vc_echo_restart(row->echo);
    }
  }
  long ahead = row->hidden + lead < LEAD ? row->hidden + lead : LEAD;
  for (long i = 0; i < ROW_BLOCK; i++)
    corrected[i] = heard_at(row, start + i + ahead - row->hidden);
  vc_echo_block block;
  vc_echo_process(row->echo, corrected, microphone, &block);
  if (row->second)
    webrtc_row_process(row->second, corrected, block.error, LEAD / 16, out);
  else if (row->suppressor)
    vc_suppressor_process(row->suppressor, corrected, &block, out);
  else
    memcpy(out, block.error, sizeof block.error);
}

void ours_row_destroy(void *state) {
  row *row = state;
  vc_bulk_delay_destroy(row->delay);
  vc_echo_destroy(row->echo);
  if (row->suppressor)
    vc_suppressor_destroy(row->suppressor);
  if (row->second)
    webrtc_row_destroy(row->second);
  free(row);
}
