#include "suppressor.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Constants were chosen on the tuning half of bench echo.

/// Samples that a spectrum looks at: 20 ms.
#define WINDOW 320
/// Taps of the filter that applies the gains; its middle is the latency.
#define TAPS (2 * VC_SUPPRESSOR_LATENCY)
#define BINS 256
#define PER_BAND 8
#define BANDS (BINS / PER_BAND)
/// Bands in which a person is looked for: 250 Hz to 5 kHz.
#define FIRST_BAND 1
#define LAST_BAND 20
/// Below this mean square the agent is silent: -70 dBFS.
#define SILENCE 1e-7f
/// What a block of the reference still counts for in the next: the room's tail.
#define REFERENCE_TAIL 0.85f
#define ESTIMATE_TAIL 0.75f
/// The echo is taken for so much stronger than it seems, three times that while nobody speaks.
#define OVERESTIMATE 3.0f
/// Share of the misalignment that the canceller itself expects.
#define MISALIGNMENT_SHARE 0.1f
/// A band that is so much over what is explained is a person's, in decibels.
#define PERSON_DB 4.0f
/// Shares of such bands between which a person is thought to begin to speak.
#define PERSON_FROM 0.10f
#define PERSON_TO 0.25f
/// Blocks for which a person who was certain is believed.
#define PERSON_HOLD_BLOCKS 12
/// What passes of the echo's bands while nobody speaks, and of any bin at least.
#define GAIN_ALONE 0.05f
#define GAIN_MIN 0.01f
/// How far below the noise an echo is put, as a ratio of powers.
#define BENEATH_NOISE 1.0f
/// The quantile of the left echo that is followed, and the share of a step upwards while a person
/// seems to speak: 6 dB a second, so that a path that became worse is not taken for her for long.
#define QUANTILE 0.8f
#define STEP_BESIDE_PERSON 0.08f
/// The noise is the least of so many blocks, and more by the bias, for a minimum lies low.
#define NOISE_BLOCKS 100
#define NOISE_BIAS_DB 2.0f
/// An echo that does not rise so far above the noise cannot be measured.
#define MEASURABLE 2.0f
/// Share of the last block's result in the ratio of person to echo.
#define DECISION_SHARE 0.7f

struct vc_suppressor {
  vc_transform transform;
  float window[WINDOW], taper[TAPS];
  float error[WINDOW], estimate[WINDOW];
  float reference_tail;
  float tail[BINS];       ///< power of the estimate, with its tail in the room
  float leak_db[BANDS];   ///< what is left of it
  float smooth[BANDS];    ///< power of the error
  float lowest[2][BANDS]; ///< of that in this and the last NOISE_BLOCKS, in decibels
  float noise_db[BANDS];
  float passed[BINS]; ///< power of the last block's result
  float person;       ///< how certainly one speaks, 0..1
  int hold;
  uint32_t blocks, dice;
  float comfort[VC_TRANSFORM_SIZE]; ///< noise in place of the noise that was taken away
  float delayed[TAPS + VC_ECHO_BLOCK];
  float taps[2][TAPS]; ///< of this block and of the last
};

int vc_suppressor_create(vc_suppressor **out) {
  vc_suppressor *s = calloc(1, sizeof *s);
  if (!s)
    return -ENOMEM;
  vc_transform_prepare(&s->transform);
  for (int i = 0; i < WINDOW; i++)
    s->window[i] = sinf((float)M_PI * ((float)i + 0.5f) / WINDOW);
  for (int i = 0; i < TAPS; i++)
    s->taper[i] = 0.5f - 0.5f * cosf(2 * (float)M_PI * (float)i / TAPS);
  for (int b = 0; b < BANDS; b++) {
    s->noise_db[b] = -60;
    s->lowest[0][b] = s->lowest[1][b] = 60;
  }
  s->dice = 1;
  s->taps[0][TAPS / 2] = 1;
  *out = s;
  return 0;
}

void vc_suppressor_destroy(vc_suppressor *suppressor) {
  free(suppressor);
}

static float decibels(float power) VD_NONBLOCKING {
  return 10 * log10f(power + 1e-12f);
}

static float power_of(float decibels) VD_NONBLOCKING {
  return powf(10, decibels / 10);
}

/// Takes a block into a window, and writes its power by bin.
static void look_at(vc_suppressor *s, float *past, const float *block,
                    float *power) VD_NONBLOCKING {
  memmove(past, past + VC_ECHO_BLOCK, (WINDOW - VC_ECHO_BLOCK) * sizeof *past);
  memcpy(past + WINDOW - VC_ECHO_BLOCK, block, VC_ECHO_BLOCK * sizeof *past);
  float tapered[VC_TRANSFORM_SIZE] = {0};
  for (int i = 0; i < WINDOW; i++)
    tapered[i] = past[i] * s->window[i];
  vc_spectrum spectrum;
  vc_transform_forward(&s->transform, tapered, &spectrum);
  for (int k = 0; k < BINS; k++)
    power[k] = spectrum.re[k] * spectrum.re[k] + spectrum.im[k] * spectrum.im[k];
}

static float mean_of_band(const float *bins, int band) VD_NONBLOCKING {
  float sum = 0;
  for (int k = band * PER_BAND; k < (band + 1) * PER_BAND; k++)
    sum += bins[k];
  return sum / PER_BAND;
}

static bool agent_is_heard(vc_suppressor *s, const float *reference) VD_NONBLOCKING {
  float sum = 0;
  for (int i = 0; i < VC_ECHO_BLOCK; i++)
    sum += reference[i] * reference[i];
  s->reference_tail = fmaxf(sum / VC_ECHO_BLOCK, REFERENCE_TAIL * s->reference_tail);
  return s->reference_tail > SILENCE;
}

/// Follows how certainly a person speaks: by the bands that neither echo nor noise explains.
static void look_for_person(vc_suppressor *s, const float *error, const float *echo,
                            bool cancels) VD_NONBLOCKING {
  int above = 0;
  for (int b = FIRST_BAND; b < LAST_BAND; b++) {
    float explained = OVERESTIMATE * mean_of_band(echo, b) + 2 * power_of(s->noise_db[b]);
    above += decibels(mean_of_band(error, b)) > decibels(explained) + PERSON_DB;
  }
  float share = (float)above / (LAST_BAND - FIRST_BAND);
  float person = (share - PERSON_FROM) / (PERSON_TO - PERSON_FROM);
  person = cancels ? fminf(fmaxf(person, 0), 1) : 0;
  if (person > s->person) {
    s->person = person;
    if (person > 0.5f)
      s->hold = PERSON_HOLD_BLOCKS;
  } else if (s->hold > 0) {
    s->hold--;
  } else {
    s->person += 0.15f * (person - s->person);
  }
}

/// Follows the noise, and what is left of the echo.
static void learn(vc_suppressor *s, const float *error) VD_NONBLOCKING {
  s->blocks++;
  for (int b = 0; b < BANDS; b++) {
    float e = mean_of_band(error, b), y = mean_of_band(s->tail, b);
    s->smooth[b] += 0.1f * (e - s->smooth[b]);
    float level = decibels(s->smooth[b]) + NOISE_BIAS_DB;
    s->lowest[0][b] = fminf(s->lowest[0][b], level);
    if (s->blocks % NOISE_BLOCKS == 0) {
      s->lowest[1][b] = s->lowest[0][b];
      s->lowest[0][b] = level;
    }
    s->noise_db[b] += 0.2f * (fminf(s->lowest[0][b], s->lowest[1][b]) - s->noise_db[b]);
    float noise = power_of(s->noise_db[b]);
    if (y <= 10 * noise)
      continue;
    float left_db = decibels(fmaxf(e - MEASURABLE * noise, 0.01f * e)) - decibels(y);
    float up = s->person > 0.3f ? STEP_BESIDE_PERSON : 1;
    s->leak_db[b] += left_db > s->leak_db[b] ? up * QUANTILE : QUANTILE - 1;
    s->leak_db[b] = fminf(fmaxf(s->leak_db[b], -60), 6);
  }
}

/// The gains of all bins, and the power of the noise that goes with what they take away.
static void weigh(vc_suppressor *s, const float *error, const float *echo, float *gains,
                  float *lost_noise) VD_NONBLOCKING {
  float gate = s->person + (1 - s->person) * GAIN_ALONE;
  float over = OVERESTIMATE * (1 + 2 * (1 - s->person));
  for (int k = 0; k < BINS; k++) {
    float noise = power_of(s->noise_db[k / PER_BAND]);
    float assumed = over * echo[k] + 1e-12f;
    float now = fmaxf(error[k] / assumed - 1, 0);
    float ratio = DECISION_SHARE * s->passed[k] / assumed + (1 - DECISION_SHARE) * now;
    float gain = ratio / (1 + ratio);
    s->passed[k] = gain * gain * error[k];
    // Beneath the noise nothing of the echo is heard: no more is taken away than puts it there.
    float enough = sqrtf(BENEATH_NOISE * noise / (OVERESTIMATE * echo[k] + 1e-12f));
    gains[k] = fmaxf(fmaxf(gain * gate, fminf(enough, 1)), GAIN_MIN);
    lost_noise[k] = (1 - gains[k] * gains[k]) * noise;
  }
}

/// Adds noise of the given power to what waits to be heard, in place of the room's own.
static void comfort(vc_suppressor *s, const float *lost_noise) VD_NONBLOCKING {
  memmove(s->comfort, s->comfort + VC_ECHO_BLOCK,
          (VC_TRANSFORM_SIZE - VC_ECHO_BLOCK) * sizeof *s->comfort);
  memset(s->comfort + VC_TRANSFORM_SIZE - VC_ECHO_BLOCK, 0, VC_ECHO_BLOCK * sizeof *s->comfort);
  vc_spectrum spectrum = {0};
  for (int k = 1; k < BINS; k++) {
    s->dice = s->dice * 1664525u + 1013904223u;
    float angle = (float)(s->dice >> 8) * (2 * (float)M_PI / 16777216.0f);
    float size = sqrtf(fmaxf(lost_noise[k], 0));
    spectrum.re[k] = size * cosf(angle);
    spectrum.im[k] = size * sinf(angle);
  }
  float samples[VC_TRANSFORM_SIZE];
  vc_transform_inverse(&s->transform, &spectrum, samples);
  // The spectrum was measured through the window, but its noise fills the whole transform.
  const float scale = sqrtf((float)VC_TRANSFORM_SIZE / (WINDOW / 2));
  for (int i = 0; i < WINDOW; i++)
    s->comfort[i] += scale * samples[i] * s->window[i];
}

/// Turns the gains into a short filter, so that they cost little time.
static void design(vc_suppressor *s, const float *gains) VD_NONBLOCKING {
  vc_spectrum spectrum = {0};
  memcpy(spectrum.re, gains, BINS * sizeof *gains);
  spectrum.re[BINS] = gains[BINS - 1];
  float samples[VC_TRANSFORM_SIZE];
  vc_transform_inverse(&s->transform, &spectrum, samples);
  memcpy(s->taps[1], s->taps[0], sizeof s->taps[0]);
  for (int i = 0; i < TAPS; i++)
    s->taps[0][i] = s->taper[i] * samples[(i - TAPS / 2 + VC_TRANSFORM_SIZE) % VC_TRANSFORM_SIZE];
}

/// Filters the block, from the last filter to this one.
static void filter(vc_suppressor *s, const float *block, float *out) VD_NONBLOCKING {
  memmove(s->delayed, s->delayed + VC_ECHO_BLOCK, TAPS * sizeof *s->delayed);
  memcpy(s->delayed + TAPS, block, VC_ECHO_BLOCK * sizeof *block);
  for (int n = 0; n < VC_ECHO_BLOCK; n++) {
    const float *in = s->delayed + n;
    float now[4] = {0}, before[4] = {0};
    for (int i = 0; i < TAPS; i += 4)
      for (int lane = 0; lane < 4; lane++) {
        now[lane] += in[i + lane] * s->taps[0][i + lane];
        before[lane] += in[i + lane] * s->taps[1][i + lane];
      }
    float way = ((float)n + 0.5f) / VC_ECHO_BLOCK;
    out[n] = way * (now[0] + now[1] + now[2] + now[3]) +
             (1 - way) * (before[0] + before[1] + before[2] + before[3]);
  }
}

void vc_suppressor_process(vc_suppressor *s, const float *reference, const vc_echo_block *block,
                           float *out) VD_NONBLOCKING {
  float error[BINS], estimate[BINS], echo[BINS], gains[BINS], lost_noise[BINS];
  look_at(s, s->error, block->error, error);
  look_at(s, s->estimate, block->estimate, estimate);
  for (int k = 0; k < BINS; k++) {
    s->tail[k] = fmaxf(estimate[k], ESTIMATE_TAIL * s->tail[k]);
    echo[k] = fmaxf(power_of(s->leak_db[k / PER_BAND]) * s->tail[k],
                    MISALIGNMENT_SHARE * block->misalignment[k]);
  }
  bool is_heard = agent_is_heard(s, reference);
  if (is_heard)
    look_for_person(s, error, echo, block->cancels);
  learn(s, error);
  weigh(s, error, echo, gains, lost_noise);
  for (int k = 0; k < BINS && !(is_heard && block->cancels); k++) {
    // Nothing passes until cancelling is shown, and everything while the agent is silent.
    gains[k] = is_heard ? GAIN_MIN : 1;
    lost_noise[k] = is_heard ? power_of(s->noise_db[k / PER_BAND]) : 0;
  }
  comfort(s, lost_noise);
  design(s, gains);
  filter(s, block->error, out);
  for (int n = 0; n < VC_ECHO_BLOCK; n++)
    out[n] += s->comfort[n];
}
