#ifndef ECHO_ROW_H
#define ECHO_ROW_H

#include <stddef.h>

/// One block: 10 ms at 16 kHz.
#define ROW_BLOCK 160

#if defined(__cplusplus)
extern "C" {
#endif

/// What stands in one line of the table.
typedef struct {
  const char *name;
  /// Gets the reference that the playout clock has aligned, at its own time; otherwise what was
  /// sent, with the true delay told.
  int is_aligned;
  /// Result: NULL when it cannot be had on this machine.
  void *(*create)(int option);
  void (*process)(void *state, const float *reference, const float *microphone, int delay_ms,
                  float *out);
  void (*destroy)(void *state);
  int option;
  const char *missing; ///< why it cannot be had
} row_kind;

/// Bits of `option` for libwebrtc-audio-processing 0.3.
enum { WEBRTC_EXTENDED = 1, WEBRTC_AGNOSTIC = 2, WEBRTC_LOW = 4 };

void *webrtc_row_create(int option);
void webrtc_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                        float *out);
void webrtc_row_destroy(void *state);

/// Bits of `option` for speexdsp: its linear filter, followed by 0.3 at low suppression.
enum { SPEEX_THEN_WEBRTC = 1 };

void *speex_row_create(int option);
void speex_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                       float *out);
void speex_row_destroy(void *state);

/// Options of our own chain.
enum { OURS_OWN_SUPPRESSOR, OURS_WEBRTC, OURS_LINEAR_ONLY };

void *ours_row_create(int option);
void ours_row_process(void *state, const float *reference, const float *microphone, int delay_ms,
                      float *out);
void ours_row_destroy(void *state);

#if defined(__cplusplus)
}
#endif

#endif
