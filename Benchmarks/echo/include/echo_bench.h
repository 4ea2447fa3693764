#ifndef ECHO_BENCH_H
#define ECHO_BENCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Parts of the suite. Only the first is for tuning.
enum {
  ECHO_TUNING,
  ECHO_HELD_OUT,
  ECHO_FRESH, ///< rooms of the seed
  ECHO_ALONE, ///< ten minutes of echo, nobody speaks
  ECHO_REAL,  ///< recorded, far end only
};

/// What was measured on one scene's output.
typedef struct {
  double echo_speech_pct; ///< windows of the agent alone that pass for speech, after 2 s
  double first2s_pct;     ///< the same in the first 2 s
  double false_starts;    ///< runs of such windows, 96 ms long
  double far_minutes;     ///< time they were counted in
  double recall;          ///< of the person's voiced windows while both speak
  double person_recall;   ///< while the person speaks alone
  double estoi;           ///< while both speak
  double person_gain_db;  ///< while the person speaks alone
  double erle_first2s_db;
  double erle_8_18_db;
  double bargein_ms; ///< start of a turn, later than an ideal canceller's; infinity: never
  double lag_ms;     ///< by which the output is late
  double cpu_p50_us; ///< a block of 10 ms, thread time
  double cpu_p99_us;
} echo_judgement;

/// One row over one scene.
typedef struct {
  int part;
  const char *scene;
  const char *row;
  const char *missing; ///< why there is no judgement, or NULL
  echo_judgement judgement;
  uint64_t hash;          ///< of the scene
  uint64_t recorded_hash; ///< as recorded with the suite; 0: none
} echo_line;

typedef struct {
  const char *speech;       ///< directory of the voices that set-up makes
  const char *recordings;   ///< directory of the sounds in the checkout
  const char *vad_weights;  ///< Silero's file
  uint64_t seed;            ///< of the fresh part
  int is_quick;             ///< ours only, no tuning part
  int is_without_canceller; ///< the negative control: ours lets everything through
} echo_options;

/// Runs the suite and tells every line. Result: 0, or -1 with a sentence in `error`.
int echo_bench_run(const echo_options *options, void (*tell)(void *context, const echo_line *line),
                   void *context, char *error, size_t error_bytes);

#if defined(__cplusplus)
}
#endif

#endif
