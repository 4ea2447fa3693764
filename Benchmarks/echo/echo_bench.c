#include "echo_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "suite.h"

static const char *const no_speex = "libspeexdsp.so.1 is missing (apt-get install libspeexdsp1)";

static void *raw_create(int option) {
  (void)option;
  return malloc(1);
}
static void raw_process(void *state, const float *reference, const float *microphone, int delay_ms,
                        float *out) {
  (void)state, (void)reference, (void)delay_ms;
  memcpy(out, microphone, ROW_BLOCK * sizeof *out);
}

#define RAW 0, raw_create, raw_process, free
#define WEBRTC 0, webrtc_row_create, webrtc_row_process, webrtc_row_destroy
#define SPEEX 0, speex_row_create, speex_row_process, speex_row_destroy
#define OURS 1, ours_row_create, ours_row_process, ours_row_destroy

static const row_kind rows[] = {
    {"ours", OURS, OURS_OWN_SUPPRESSOR, NULL},
    {"ours -> 0.3 low", OURS, OURS_WEBRTC, NULL},
    {"ours, linear alone", OURS, OURS_LINEAR_ONLY, NULL},
    {"raw microphone", RAW, 0, NULL},
    {"0.3 plain", WEBRTC, 0, NULL},
    {"0.3 extended + agnostic", WEBRTC, WEBRTC_EXTENDED | WEBRTC_AGNOSTIC, NULL},
    {"0.3 plain low", WEBRTC, WEBRTC_LOW, NULL},
    {"0.3 ext + agn low", WEBRTC, WEBRTC_EXTENDED | WEBRTC_AGNOSTIC | WEBRTC_LOW, NULL},
    {"speexdsp", SPEEX, 0, no_speex},
    {"speexdsp -> 0.3 low", SPEEX, SPEEX_THEN_WEBRTC, no_speex},
};
#define ROWS (sizeof rows / sizeof *rows)
/// Rows of our own, which come first, and the first of the others.
#define OWN_ROWS 3
#define QUICK_ROWS 4

typedef struct {
  const echo_options *options;
  void (*tell)(void *, const echo_line *);
  void *context;
  vd_vad *vad;
} run;

static void run_rows(const run *run, int part, const scene *scene, uint64_t recorded_hash) {
  float *output = malloc(scene->count * sizeof *output);
  float *ideal = malloc((scene->count / VD_VAD_WINDOW_SAMPLES + 1) * sizeof *ideal);
  if (scene->ideal)
    judge_speech(run->vad, scene->ideal, scene->count, ideal);
  size_t wanted = run->options->is_quick || part == ECHO_FRESH ? QUICK_ROWS : ROWS;
  for (size_t r = 0; r < wanted; r++) {
    // Ten minutes of echo are long, and are the agent's own affair; one peer stands beside.
    if (part == ECHO_ALONE && r >= QUICK_ROWS && r != 6)
      continue;
    row_kind row = rows[r];
    if (run->options->is_without_canceller && r < OWN_ROWS)
      row = (row_kind){rows[r].name, RAW, 0, NULL};
    echo_line line = {part, scene->plan.name, row.name, NULL, {0}, scene->hash, recorded_hash};
    if (suite_run(&row, scene, output, &line.judgement) < 0)
      line.missing = row.missing ? row.missing : "it could not be made";
    else if (scene->plan.person)
      judge(scene, ideal, output, run->vad, &line.judgement);
    else
      judge_echo_only(output, scene->count, run->vad, &line.judgement);
    run->tell(run->context, &line);
  }
  free(ideal);
  free(output);
}

static int run_part(const run *run, int part, char *error, size_t error_bytes) {
  catalogue_entry entries[CATALOGUE_MAX];
  size_t count = catalogue(part, run->options->seed, entries);
  for (size_t i = 0; i < count; i++) {
    scene scene;
    // The quick form takes every third scene; the base, a delay and a drift are among them.
    if (run->options->is_quick && part == ECHO_HELD_OUT && i % 3 != 0)
      continue;
    if (run->options->is_quick && part == ECHO_ALONE)
      entries[i].plan.seconds = 10;
    scene_places places = {run->options->speech, run->options->recordings};
    if (scene_build(&scene, &entries[i].plan, &places, error, error_bytes) < 0)
      return -1;
    run_rows(run, part, &scene, part == ECHO_ALONE ? 0 : entries[i].hash);
    scene_free(&scene);
  }
  return 0;
}

/// A recorded pair, of which nothing is known but that only the far end speaks.
static void run_recording(const run *run, const char *name) {
  char path[512];
  scene scene = {.plan = {.name = name}};
  size_t sent = 0, heard = 0;
  snprintf(path, sizeof path, "%s/%s_lpb.wav", run->options->recordings, name);
  scene.sent = wave_read(path, &sent);
  snprintf(path, sizeof path, "%s/%s_mic.wav", run->options->recordings, name);
  scene.microphone = wave_read(path, &heard);
  if (scene.sent && scene.microphone) {
    scene.count = (sent < heard ? sent : heard) / ROW_BLOCK * ROW_BLOCK;
    scene.played = scene.sent;
    run_rows(run, ECHO_REAL, &scene, 0);
  }
  free(scene.sent);
  free(scene.microphone);
}

int echo_bench_run(const echo_options *options, void (*tell)(void *context, const echo_line *line),
                   void *context, char *error, size_t error_bytes) {
  vd_vad_weights *weights;
  if (vd_vad_weights_load(&weights, options->vad_weights, error, error_bytes) < 0)
    return -1;
  run run = {.options = options, .tell = tell, .context = context};
  int result = vd_vad_create(&run.vad, weights);
  static const int parts[] = {ECHO_HELD_OUT, ECHO_ALONE, ECHO_FRESH, ECHO_TUNING};
  for (size_t i = 0; i < (options->is_quick ? 2 : 4) && result == 0; i++)
    result = run_part(&run, parts[i], error, error_bytes);
  if (result == 0)
    run_recording(&run, "farend_singletalk");
  vd_vad_destroy(run.vad);
  vd_vad_weights_release(weights);
  return result;
}
