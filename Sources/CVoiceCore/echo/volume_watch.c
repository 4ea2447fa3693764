#include "volume_watch.h"

#include <stdbool.h>

/// What a block still counts for in the next: a memory of 40 ms.
#define MEMORY 0.75f
/// Blocks that must say the same.
#define SAME_BLOCKS 3
/// Another loudness must leave at most so much of what this one leaves.
#define LEFT_AT_MOST 0.3f
/// Factors between which it is the filter's own affair: 4 dB.
#define FACTOR_NEAR 1.6f
/// After a change the filter's own steps have blurred it: for 0.3 s smaller factors are followed.
#define ALERT_BLOCKS 30
#define ALERT_LEFT 0.7f
#define ALERT_NEAR 1.1f
/// The least sum that is looked at.
#define CERTAIN 3.0f

float vc_volume_watch_step(vc_volume_watch *w, const vc_spectrum *echo, const vc_spectrum *left,
                           const float *certainty) VD_NONBLOCKING {
  float both = 0, power = 0, heard = 0;
  for (int k = 0; k < VC_TRANSFORM_BINS; k++) {
    float re = echo->re[k] + left->re[k], im = echo->im[k] + left->im[k];
    both += certainty[k] * (echo->re[k] * re + echo->im[k] * im);
    power += certainty[k] * (echo->re[k] * echo->re[k] + echo->im[k] * echo->im[k]);
    heard += certainty[k] * (re * re + im * im);
  }
  w->both = MEMORY * w->both + both;
  w->echo = MEMORY * w->echo + power;
  w->heard = MEMORY * w->heard + heard;
  float factor = w->both / (w->echo + 1e-12f);
  float before = w->heard - 2 * w->both + w->echo, after = w->heard - factor * w->both;
  bool is_alert = w->alert > 0;
  w->alert -= is_alert;
  float most_left = is_alert ? ALERT_LEFT : LEFT_AT_MOST,
        near = is_alert ? ALERT_NEAR : FACTOR_NEAR;
  bool is_other = w->echo > CERTAIN && factor > 0 && after < most_left * before &&
                  (factor > near || factor < 1 / near);
  w->blocks = is_other ? w->blocks + 1 : 0;
  if (w->blocks < SAME_BLOCKS)
    return 1;
  *w = (vc_volume_watch){.alert = is_alert ? w->alert : ALERT_BLOCKS};
  return factor;
}
