#include <stdlib.h>

#include "echo/linear_canceller.h"
#include "row.h"

typedef struct {
  vc_linear *linear;
  void *second;
} row;

void *ours_row_create(int option) {
  row *row = calloc(1, sizeof *row);
  vc_linear_create(&row->linear);
  if (option == OURS_WEBRTC)
    row->second = webrtc_row_create(WEBRTC_LOW);
  return row;
}

void ours_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                      float *out) {
  row *row = state;
  float estimate[ROW_BLOCK];
  vc_linear_process(row->linear, reference, microphone, out, estimate);
  if (row->second)
    webrtc_row_process(row->second, reference, out, delay_ms, out);
}

void ours_row_destroy(void *state) {
  row *row = state;
  vc_linear_destroy(row->linear);
  if (row->second)
    webrtc_row_destroy(row->second);
  free(row);
}
