#include "drift.h"

#include <math.h>

#define RATE_HZ 48000.0
/// What clocks are expected to differ by before anything is known: 300 ppm.
#define RATE_DEVIATION (300e-6 * RATE_HZ)
/// Wander of a crystal's rate, frames a second for each root of a second: 0.003 ppm.
#define RATE_WANDER (0.003e-6 * RATE_HZ)
/// Wander allowed while the reports disagree with the lead on average: 10 ppm.
#define RATE_WANDER_BIASED (10e-6 * RATE_HZ)
/// A report further off than 2 ms, and than so many deviations, is an outlier.
#define OUTLIER_FRAMES 96.0
#define OUTLIER_DEVIATIONS 4.0
/// A report is never believed to be better than this: half a frame.
#define NOISE_MIN 0.25
/// Before anything is known a report may be 2 ms off.
#define NOISE_AT_FIRST (OUTLIER_FRAMES * OUTLIER_FRAMES)
/// Reports in which everything is taken, to learn what noise is: a third of a second.
#define REPORTS_AT_FIRST 32
/// Reports over which the noise is averaged: 5 s.
#define NOISE_REPORTS 500
/// Share of a report that the average of disagreement follows: 1 s.
#define BIAS_SHARE 0.01
/// An average of so many deviations is no accident.
#define BIAS_DEVIATIONS 8.0
#define BIAS_MIN 1.0
/// So many in a row to one side are a jump.
#define OUTLIER_RUN 4
/// Reports closer together are one report: blocks that were late are taken at one moment.
#define MOMENT_MIN_FRAMES 48.0

void vc_drift_init(vc_drift *drift) {
  *drift = (vc_drift){.is_fresh = true,
                      .noise = NOISE_AT_FIRST,
                      .trusted = NOISE_AT_FIRST,
                      .p11 = RATE_DEVIATION * RATE_DEVIATION};
}

void vc_drift_restart(vc_drift *drift) VD_NONBLOCKING {
  drift->is_fresh = true;
  drift->outliers = 0;
  drift->bias = 0;
}

/// Believes one report about the lead; the rate stays.
static void anchor(vc_drift *drift, double lead) VD_NONBLOCKING {
  drift->lead = lead;
  drift->p00 = drift->noise;
  drift->p01 = 0;
  drift->bias = 0;
  drift->outliers = 0;
  drift->is_fresh = false;
}

static void predict(vc_drift *drift, double seconds) VD_NONBLOCKING {
  const double doubt = BIAS_DEVIATIONS * sqrt(drift->noise * BIAS_SHARE / 2);
  const bool is_biased = fabs(drift->bias) > fmax(BIAS_MIN, doubt);
  const double wander = is_biased ? RATE_WANDER_BIASED : RATE_WANDER;
  drift->lead += drift->rate * seconds;
  drift->p00 += (2 * drift->p01 + drift->p11 * seconds) * seconds;
  drift->p01 += drift->p11 * seconds;
  drift->p11 += wander * wander * seconds;
}

/// Whether the report is an outlier; a run of them moves the lead.
static bool is_outlier(vc_drift *drift, double error, double lead) VD_NONBLOCKING {
  const double gate = fmax(OUTLIER_FRAMES, OUTLIER_DEVIATIONS * sqrt(drift->noise + drift->p00));
  if (fabs(error) <= gate || drift->reports < REPORTS_AT_FIRST) {
    drift->outliers = 0;
    return false;
  }
  if (drift->outliers == 0)
    drift->trusted = drift->noise;
  const int32_t sign = error > 0 ? 1 : -1;
  drift->outliers = drift->outliers * sign > 0 ? drift->outliers + sign : sign;
  // A noisy driver's reports must be able to widen the gate.
  drift->noise += 4 * gate * gate / NOISE_REPORTS;
  if (drift->outliers * sign == OUTLIER_RUN) {
    drift->noise = drift->trusted;
    anchor(drift, lead);
  }
  return true;
}

static void learn_noise(vc_drift *drift, double error) VD_NONBLOCKING {
  // A mean that forgets the first guess with the third power of the reports.
  const double share = fmax(3.0 / ((double)drift->reports + 3), 1.0 / NOISE_REPORTS);
  drift->noise += share * (error * error - drift->noise);
  if (drift->noise < NOISE_MIN)
    drift->noise = NOISE_MIN;
  drift->bias += BIAS_SHARE * (error - drift->bias);
}

void vc_drift_observe(vc_drift *drift, double moment, double lead) VD_NONBLOCKING {
  const double passed = moment - drift->moment;
  if (!drift->is_fresh && passed >= 0 && passed < MOMENT_MIN_FRAMES)
    return;
  drift->moment = moment;
  if (drift->is_fresh || passed < 0) {
    anchor(drift, lead);
    return;
  }
  predict(drift, passed / RATE_HZ);
  const double error = lead - drift->lead;
  if (is_outlier(drift, error, lead))
    return;
  learn_noise(drift, error);
  const double scale = 1 / (drift->p00 + drift->noise);
  const double gain_lead = drift->p00 * scale;
  const double gain_rate = drift->p01 * scale;
  drift->lead += gain_lead * error;
  drift->rate += gain_rate * error;
  drift->p11 -= gain_rate * drift->p01;
  drift->p01 -= gain_lead * drift->p01;
  drift->p00 -= gain_lead * drift->p00;
  drift->reports++;
}

double vc_drift_speed(const vc_drift *drift) VD_NONBLOCKING {
  return drift->rate / RATE_HZ;
}

double vc_drift_doubt(const vc_drift *drift) VD_NONBLOCKING {
  return sqrt(drift->p11) / RATE_HZ;
}
