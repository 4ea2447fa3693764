#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estoi.h"

#define WINDOW_SECONDS ((double)VD_VAD_WINDOW_SAMPLES / SCENE_RATE)
#define LAG_MAX 800

size_t judge_speech(vd_vad *vad, const float *samples, size_t count, float *probabilities) {
  size_t windows = count / VD_VAD_WINDOW_SAMPLES;
  vd_vad_reset(vad);
  for (size_t w = 0; w < windows; w++)
    probabilities[w] = vd_vad_process(vad, samples + w * VD_VAD_WINDOW_SAMPLES);
  return windows;
}

static double power(const float *samples, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; i++)
    sum += (double)samples[i] * samples[i];
  return sum / (double)(to - from) + 1e-12;
}

/// The lag at which the output is most like the person, where she speaks alone.
static long lag_of(const scene *scene, const float *output) {
  size_t from = SCENE_RATE * 29, to = SCENE_RATE * 31;
  long best = 0;
  double top = 0;
  for (long lag = 0; lag < LAG_MAX; lag++) {
    double sum = 0;
    for (size_t i = from; i < to; i++)
      sum += (double)scene->person[i] * output[i + (size_t)lag];
    if (sum > top)
      top = sum, best = lag;
  }
  return best;
}

/// Seconds at which the first run of speech begins in [from, to), or infinity.
static double first_run(const float *probabilities, double from, double to) {
  int run = 0;
  for (size_t w = (size_t)(from / WINDOW_SECONDS); w < (size_t)(to / WINDOW_SECONDS); w++) {
    run = probabilities[w] >= JUDGE_THRESHOLD ? run + 1 : 0;
    if (run == JUDGE_RUN)
      return (double)w * WINDOW_SECONDS;
  }
  return INFINITY;
}

typedef struct {
  double voiced, all;
} share;

static void count_in(share *share, float probability) {
  share->all++;
  share->voiced += probability >= JUDGE_THRESHOLD;
}

static double ratio(share share) {
  return share.all > 0 ? share.voiced / share.all : 0;
}

void judge(const scene *scene, const float *ideal, const float *output, vd_vad *vad,
           echo_judgement *judgement) {
  size_t count = scene->count, windows = count / VD_VAD_WINDOW_SAMPLES;
  size_t lag = (size_t)lag_of(scene, output);
  judgement->lag_ms = 1000.0 * (double)lag / SCENE_RATE;
  float *aligned = calloc(count, sizeof *aligned);
  memcpy(aligned, output + lag, (count - lag) * sizeof *aligned);
  float *heard = malloc(windows * sizeof *heard);
  judge_speech(vad, aligned, count, heard);
  share echo = {0}, first = {0}, both = {0}, alone = {0};
  int run = 0;
  judgement->false_starts = 0;
  for (size_t w = 0; w < windows; w++) {
    double t = (double)w * WINDOW_SECONDS;
    int is_far = (t >= 2 && t < SCENE_BOTH_FROM - 0.2) || t >= SCENE_AGENT_FROM + 0.6;
    if (t < 2)
      count_in(&first, heard[w]);
    if (is_far)
      count_in(&echo, heard[w]);
    if (t >= SCENE_BOTH_FROM && t < SCENE_PERSON_FROM && ideal[w] >= JUDGE_VOICED)
      count_in(&both, heard[w]);
    if (t >= SCENE_PERSON_FROM && t < SCENE_AGENT_FROM && ideal[w] >= JUDGE_VOICED)
      count_in(&alone, heard[w]);
    run = is_far && heard[w] >= JUDGE_THRESHOLD ? run + 1 : 0;
    judgement->false_starts += run == JUDGE_RUN;
  }
  judgement->far_minutes = echo.all * WINDOW_SECONDS / 60;
  judgement->echo_speech_pct = 100 * ratio(echo);
  judgement->first2s_pct = 100 * ratio(first);
  judgement->recall = ratio(both);
  judgement->person_recall = ratio(alone);
  judgement->bargein_ms = 1000 * (first_run(heard, SCENE_BOTH_FROM, SCENE_PERSON_FROM) -
                                  first_run(ideal, SCENE_BOTH_FROM, SCENE_PERSON_FROM));
  size_t from = SCENE_BOTH_FROM * SCENE_RATE, to = SCENE_PERSON_FROM * SCENE_RATE;
  judgement->estoi = estoi(scene->person + from, aligned + from, to - from);
  // The echo's tail may last 0.8 s into the person's time alone.
  size_t quiet = to + SCENE_RATE * 4 / 5, end = SCENE_AGENT_FROM * SCENE_RATE;
  judgement->person_gain_db =
      10 * log10(power(aligned, quiet, end) / power(scene->microphone, quiet, end));
  size_t second = SCENE_RATE;
  judgement->erle_first2s_db =
      10 * log10(power(scene->microphone, 0, 2 * second) / power(aligned, 0, 2 * second));
  judgement->erle_8_18_db =
      10 * log10(power(scene->microphone, 8 * second, from) / power(aligned, 8 * second, from));
  free(heard);
  free(aligned);
}

void judge_echo_only(const float *output, size_t count, vd_vad *vad, echo_judgement *judgement) {
  size_t windows = count / VD_VAD_WINDOW_SAMPLES;
  float *heard = malloc(windows * sizeof *heard);
  judge_speech(vad, output, count, heard);
  share first = {0}, later = {0};
  int run = 0;
  judgement->false_starts = 0;
  for (size_t w = 0; w < windows; w++) {
    count_in((double)w * WINDOW_SECONDS < 2 ? &first : &later, heard[w]);
    run = heard[w] >= JUDGE_THRESHOLD ? run + 1 : 0;
    judgement->false_starts += run == JUDGE_RUN;
  }
  judgement->first2s_pct = 100 * ratio(first);
  judgement->echo_speech_pct = 100 * ratio(later);
  judgement->far_minutes = (double)windows * WINDOW_SECONDS / 60;
  free(heard);
}
