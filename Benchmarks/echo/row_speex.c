// speexdsp's echo canceller, opened at run time so that nobody needs it to build.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"

#define TAIL_SAMPLES 3200
#define HISTORY 16384
#define SET_SAMPLING_RATE 24

typedef struct {
  void *library, *echo, *second;
  void (*cancel)(void *echo, const int16_t *microphone, const int16_t *reference, int16_t *out);
  void (*destroy)(void *echo);
  float history[HISTORY]; ///< of the reference, so that the true delay can be taken out
  size_t written;
} row;

void *speex_row_create(int option) {
  row *row = calloc(1, sizeof *row);
  row->library = dlopen("libspeexdsp.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!row->library) {
    free(row);
    return NULL;
  }
  void *(*create)(int, int) = (void *(*)(int, int))dlsym(row->library, "speex_echo_state_init");
  int (*control)(void *, int, void *) =
      (int (*)(void *, int, void *))dlsym(row->library, "speex_echo_ctl");
  *(void **)&row->cancel = dlsym(row->library, "speex_echo_cancellation");
  *(void **)&row->destroy = dlsym(row->library, "speex_echo_state_destroy");
  int rate = 16000;
  row->echo = create(ROW_BLOCK, TAIL_SAMPLES);
  control(row->echo, SET_SAMPLING_RATE, &rate);
  if (option & SPEEX_THEN_WEBRTC)
    row->second = webrtc_row_create(WEBRTC_LOW);
  return row;
}

static int16_t quantise(float value) {
  float scaled = value * 32768;
  return (int16_t)(scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled);
}

void speex_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                       float *out) {
  row *row = state;
  int16_t far[ROW_BLOCK], near[ROW_BLOCK], clean[ROW_BLOCK];
  float linear[ROW_BLOCK], delayed[ROW_BLOCK];
  // Ten milliseconds are left, so that no echo comes before its reference.
  size_t delay = delay_ms > 10 ? (size_t)(delay_ms - 10) * 16 : 0;
  for (size_t i = 0; i < ROW_BLOCK; i++, row->written++) {
    row->history[row->written % HISTORY] = reference[i];
    delayed[i] = row->written >= delay ? row->history[(row->written - delay) % HISTORY] : 0;
    far[i] = quantise(delayed[i]);
    near[i] = quantise(microphone[i]);
  }
  row->cancel(row->echo, near, far, clean);
  for (size_t i = 0; i < ROW_BLOCK; i++)
    linear[i] = (float)clean[i] / 32768;
  if (row->second)
    webrtc_row_process(row->second, delayed, linear, delay_ms > 10 ? 10 : delay_ms, out);
  else
    memcpy(out, linear, sizeof linear);
}

void speex_row_destroy(void *state) {
  row *row = state;
  row->destroy(row->echo);
  if (row->second)
    webrtc_row_destroy(row->second);
  dlclose(row->library);
  free(row);
}
