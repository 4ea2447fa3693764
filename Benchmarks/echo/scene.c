#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "room.h"
#include "transform.h"

#define PERSON_DBFS -26.0
#define AGENT_DBFS -23.0
#define DRIFT_ERROR_PPM 1.0 ///< that the playout clock leaves, as its own bar allows

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// Root mean square of the louder two fifths of the samples.
static double active_level(const double *samples, size_t count) {
  double *sorted = malloc(count * sizeof *sorted), sum = 0;
  for (size_t i = 0; i < count; i++)
    sorted[i] = fabs(samples[i]);
  qsort(sorted, count, sizeof *sorted, rising);
  size_t from = count * 3 / 5;
  for (size_t i = from; i < count; i++)
    sum += sorted[i] * sorted[i];
  free(sorted);
  return sqrt(sum / (double)(count - from)) + 1e-12;
}

static void scale(double *samples, size_t count, double gain) {
  for (size_t i = 0; i < count; i++)
    samples[i] *= gain;
}

/// Reads a voice, repeated from a seeded place on, into [from, to).
static int speak(const scene_places *places, const char *voice, dice *dice, double *out,
                 size_t from, size_t to, char *error, size_t error_bytes) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.wav", places->recordings, voice);
  size_t count = 0;
  float *samples = wave_read(path, &count);
  if (!samples) {
    snprintf(path, sizeof path, "%s/%s.wav", places->speech, voice);
    samples = wave_read(path, &count);
  }
  if (!samples || count == 0) {
    snprintf(error, error_bytes, "%s is missing or no 16 kHz WAV file (make setup makes it).",
             path);
    free(samples);
    return -1;
  }
  size_t at = (size_t)(dice_uniform(dice) * (double)count);
  for (size_t i = from; i < to; i++)
    out[i] = samples[(at + i - from) % count];
  free(samples);
  return 0;
}

/// `out(t) = in(t * (1 + ppm / 1e6))`, by a windowed sinc of 32 taps.
static void warp(const double *in, size_t count, double ppm, double *out) {
  for (size_t n = 0; n < count; n++) {
    double t = (double)n * (1 + ppm * 1e-6), sum = 0;
    long whole = (long)t;
    double fraction = t - (double)whole;
    if (fraction == 0) {
      out[n] = whole < (long)count ? in[whole] : 0;
      continue;
    }
    double s = sin(M_PI * fraction);
    for (long k = -15; k <= 16; k++) {
      long i = whole + k;
      if (i < 0 || i >= (long)count)
        continue;
      double x = (double)k - fraction;
      double sinc = (k & 1 ? s : -s) / (M_PI * x);
      sum += in[i] * sinc * pow(cos(M_PI * x / 34), 2);
    }
    out[n] = sum;
  }
}

static double between(dice *dice, double low, double high) {
  return low + (high - low) * dice_uniform(dice);
}

static void furnish(room *room, dice *dice, double reverberation, double metres) {
  *room = (struct room){0};
  const double low[3] = {3.0, 2.8, 2.4}, high[3] = {6.0, 4.5, 3.0};
  double square = 0, along[3];
  for (int axis = 0; axis < 3; axis++) {
    room->size[axis] = between(dice, low[axis], high[axis]);
    room->microphone[axis] = room->size[axis] * between(dice, 0.35, 0.6);
    along[axis] = dice_normal(dice) * (axis == 2 ? 0.3 : 1);
    square += along[axis] * along[axis];
  }
  for (int axis = 0; axis < 3; axis++)
    room->source[axis] = room->microphone[axis] + along[axis] * metres / sqrt(square);
  room->reverberation = reverberation;
}

static size_t taps_of(const scene_plan *plan) {
  size_t taps = (size_t)(plan->reverberation_ms / 1000 * SCENE_RATE);
  return taps < 1600 ? 1600 : taps;
}

static double volume_at(double seconds) {
  return seconds < 5 ? 1 : seconds < 9 ? 0.178 : seconds < 13 ? 1 : 0.316;
}

/// How far the second path has replaced the first.
static double moved_at(enum scene_change change, double seconds) {
  double way = change == CHANGE_MOVING ? (seconds - 6) / 8 : (seconds - 10) / 0.05;
  return way < 0 ? 0 : way > 1 ? 1 : way;
}

/// Writes the echo of `sent`, unscaled, as it comes to the microphone.
static void echo_of(const scene_plan *plan, dice *dice, const double *sent, size_t count,
                    double *echo) {
  double *loud = malloc(2 * count * sizeof *loud), *air = loud + count;
  size_t taps = taps_of(plan);
  double *response = malloc(taps * sizeof *response);
  memcpy(loud, sent, count * sizeof *loud);
  loudspeaker_play(plan->loudspeaker, loud, count);
  if (plan->change == CHANGE_VOLUME)
    for (size_t i = 0; i < count; i++)
      loud[i] *= volume_at((double)i / SCENE_RATE);
  room room;
  furnish(&room, dice, plan->reverberation_ms / 1000, between(dice, 0.15, 0.5));
  room_response(&room, dice, response, taps);
  memset(air, 0, count * sizeof *air);
  convolve(loud, count, response, taps, air);
  if (plan->change == CHANGE_MOVED || plan->change == CHANGE_MOVING) {
    double *second = calloc(count, sizeof *second);
    for (int axis = 0; axis < 3; axis++)
      room.microphone[axis] += between(dice, 0.1, 0.3);
    room_response(&room, dice, response, taps);
    convolve(loud, count, response, taps, second);
    for (size_t i = 0; i < count; i++) {
      double way = moved_at(plan->change, (double)i / SCENE_RATE);
      air[i] = (1 - way) * air[i] + way * second[i];
    }
    free(second);
  }
  size_t delay = (size_t)((plan->delay_ms + plan->hidden_ms) / 1000 * SCENE_RATE);
  for (size_t i = 0; i < count; i++) {
    size_t by = delay;
    if (plan->change == CHANGE_DELAY && i >= 9 * SCENE_RATE)
      by += 180 * SCENE_RATE / 1000;
    loud[i] = i >= by ? air[i - by] : 0;
  }
  if (plan->drift_ppm != 0)
    warp(loud, count, plan->drift_ppm, echo);
  else
    memcpy(echo, loud, count * sizeof *echo);
  free(response);
  free(loud);
}

static float *floats(const double *samples, size_t count) {
  float *out = malloc(count * sizeof *out);
  for (size_t i = 0; i < count; i++)
    out[i] = (float)samples[i];
  return out;
}

/// What a 16-bit converter makes of the samples.
static float *converted(const double *samples, size_t count, uint64_t *hash) {
  float *out = malloc(count * sizeof *out);
  for (size_t i = 0; i < count; i++) {
    double value = fmax(-32768, fmin(32767, rint(samples[i] * 32768)));
    out[i] = (float)(value / 32768);
    *hash = (*hash ^ (uint64_t)(uint16_t)(int16_t)value) * 0x100000001b3;
  }
  return out;
}

static int compose(scene *scene, double *work, const scene_places *places, char *error,
                   size_t error_bytes) {
  const scene_plan *plan = &scene->plan;
  size_t count = scene->count;
  double *sent = work, *echo = work + count, *dry = work + 2 * count, *near = work + 3 * count;
  double *sum = work + 4 * count;
  dice dice = {plan->seed};
  if (speak(places, plan->agent, &dice, sent, 0, count, error, error_bytes) < 0)
    return -1;
  if (plan->person)
    memset(sent + SCENE_PERSON_FROM * SCENE_RATE, 0,
           (SCENE_AGENT_FROM - SCENE_PERSON_FROM) * SCENE_RATE * sizeof *sent);
  scale(sent, count, pow(10, AGENT_DBFS / 20) / active_level(sent, count));
  for (size_t i = 0; i < count; i++)
    sent[i] = rint(sent[i] * 32768) / 32768;
  echo_of(plan, &dice, sent, count, echo);
  // The level is set where nothing has changed yet.
  size_t before = 5 * SCENE_RATE;
  scale(echo, count, pow(10, (PERSON_DBFS + plan->echo_db) / 20) / active_level(echo, before));
  if (plan->person) {
    size_t from = SCENE_BOTH_FROM * SCENE_RATE, to = SCENE_AGENT_FROM * SCENE_RATE;
    if (speak(places, plan->person, &dice, dry, from, to, error, error_bytes) < 0)
      return -1;
    room room;
    double response[3200];
    furnish(&room, &dice, fmin(plan->reverberation_ms / 1000, 0.2), between(&dice, 0.7, 1.2));
    room_response(&room, &dice, response, 3200);
    convolve(dry, count, response, 3200, near);
    scale(near, count, pow(10, PERSON_DBFS / 20) / active_level(near + from, to - from));
  }
  double low = 0, power = 0;
  for (size_t i = 0; i < count; i++) {
    double white = dice_normal(&dice);
    low += 0.33 * (white - low);
    dry[i] = 0.7 * low + 0.3 * white;
    power += dry[i] * dry[i];
  }
  scale(dry, count, pow(10, (PERSON_DBFS - plan->noise_db) / 20) / sqrt(power / (double)count));
  for (size_t i = 0; i < count; i++)
    sum[i] = echo[i] + near[i] + dry[i];
  scene->hash = 0xcbf29ce484222325;
  scene->sent = converted(sent, count, &scene->hash);
  scene->microphone = converted(sum, count, &scene->hash);
  scene->person = floats(near, count);
  for (size_t i = 0; i < count; i++)
    sum[i] -= echo[i];
  scene->ideal = floats(sum, count);
  double error_ppm = dice_uniform(&dice) < 0.5 ? -DRIFT_ERROR_PPM : DRIFT_ERROR_PPM;
  if (plan->drift_ppm != 0)
    warp(sent, count, plan->drift_ppm + error_ppm, sum);
  scene->played = floats(plan->drift_ppm != 0 ? sum : sent, count);
  return 0;
}

int scene_build(scene *scene, const scene_plan *plan, const scene_places *places, char *error,
                size_t error_bytes) {
  *scene = (struct scene){.plan = *plan};
  if (scene->plan.seconds == 0)
    scene->plan.seconds = SCENE_SECONDS;
  scene->count = (size_t)scene->plan.seconds * SCENE_RATE;
  double *work = calloc(5 * scene->count, sizeof *work);
  int result = compose(scene, work, places, error, error_bytes);
  free(work);
  if (result < 0)
    scene_free(scene);
  return result;
}

void scene_free(scene *scene) {
  free(scene->sent);
  free(scene->played);
  free(scene->microphone);
  free(scene->person);
  free(scene->ideal);
  *scene = (struct scene){0};
}
