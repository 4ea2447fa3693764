#include "linear_canceller.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loudspeaker_model.h"
#include "volume_watch.h"

#define P VC_PARTITIONS
/// Spectra of the reference that are kept.
#define HISTORY VC_LOUDSPEAKER_HISTORY
_Static_assert(HISTORY == P * VC_PARTITION_STRIDE, "the loudspeaker keeps what the path needs");
/// How much of the path a block makes unsure, as a share and as the least power: of the filter that
/// keeps still, and of the quick one.
#define STILL_FORGETS 4e-5f
#define STILL_LEAST 1e-7f
#define QUICK_FORGETS 4e-4f
#define QUICK_LEAST 1e-6f
/// What both leave is compared in bands, over 0.2 s.
#define BANDS 16
#define PER_BAND 16
#define COMPARE_SHARE 0.05f
/// Mean difference of the logarithms, over all bands, from which on the other's path is taken over.
#define QUICK_BETTER 0.15f
#define STILL_BETTER 0.3f
/// Blocks for which it must be so.
#define BETTER_BLOCKS 4

struct vc_linear {
  vc_transform transform;
  vc_loudspeaker *loudspeaker;
  vc_volume_watch volume;
  float reference[VC_TRANSFORM_SIZE];
  vc_spectrum history[HISTORY];
  int newest;
  vc_path still, quick;
  float still_left[BANDS], quick_left[BANDS]; ///< power of the errors
  int quick_blocks, still_blocks;             ///< in a row that one was better
};

int vc_linear_create(vc_linear **out) {
  vc_linear *linear = calloc(1, sizeof *linear);
  if (!linear)
    return -ENOMEM;
  int result = vc_loudspeaker_create(&linear->loudspeaker);
  if (result < 0) {
    free(linear);
    return result;
  }
  linear->still.forgets = STILL_FORGETS;
  linear->still.least = STILL_LEAST;
  linear->quick.forgets = QUICK_FORGETS;
  linear->quick.least = QUICK_LEAST;
  vc_transform_prepare(&linear->transform);
  vc_linear_reset(linear);
  *out = linear;
  return 0;
}

void vc_linear_destroy(vc_linear *linear) {
  if (!linear)
    return;
  vc_loudspeaker_destroy(linear->loudspeaker);
  free(linear);
}

void vc_linear_reset(vc_linear *l) VD_NONBLOCKING {
  vc_loudspeaker_forget(l->loudspeaker);
  vc_path_reset(&l->still);
  vc_path_reset(&l->quick);
  l->quick_blocks = l->still_blocks = 0;
}

/// The spectra of the reference, one a partition, after a new block.
static void take_reference(vc_linear *l, const float *block, const vc_spectrum **x) VD_NONBLOCKING {
  const size_t kept = VC_TRANSFORM_SIZE - VC_ECHO_BLOCK;
  memmove(l->reference, l->reference + VC_ECHO_BLOCK, kept * sizeof *block);
  vc_loudspeaker_play(l->loudspeaker, &l->transform, block, l->reference + kept);
  l->newest = (l->newest + HISTORY - 1) % HISTORY;
  vc_transform_forward(&l->transform, l->reference, &l->history[l->newest]);
  for (int p = 0; p < P; p++)
    x[p] = &l->history[(l->newest + p * VC_PARTITION_STRIDE) % HISTORY];
}

/// Follows a knob that was turned: the room is the same, all of it louder or quieter.
static void follow_volume(vc_linear *l, const float *estimate) VD_NONBLOCKING {
  float samples[VC_TRANSFORM_SIZE] = {0};
  memcpy(samples + VC_TRANSFORM_SIZE - VC_ECHO_BLOCK, estimate, VC_ECHO_BLOCK * sizeof *estimate);
  vc_spectrum echo;
  vc_transform_forward(&l->transform, samples, &echo);
  float factor = vc_volume_watch_step(&l->volume, &echo, &l->still.error, l->still.certainty);
  if (factor == 1)
    return;
  vc_path_scale(&l->still, factor);
  vc_path_copy(&l->quick, &l->still);
}

static float follow_band(float *left, const vc_spectrum *error, int band) VD_NONBLOCKING {
  float sum = 0;
  for (int k = band * PER_BAND; k < (band + 1) * PER_BAND; k++)
    sum += error->re[k] * error->re[k] + error->im[k] * error->im[k];
  left[band] += COMPARE_SHARE * (sum - left[band]);
  return logf(left[band] + 1e-9f);
}

/// Lets each filter have what the other knows better.
static void compare(vc_linear *l) VD_NONBLOCKING {
  float gain = 0;
  for (int b = 0; b < BANDS; b++)
    gain += follow_band(l->still_left, &l->still.error, b) -
            follow_band(l->quick_left, &l->quick.error, b);
  gain /= BANDS;
  l->quick_blocks = gain > QUICK_BETTER ? l->quick_blocks + 1 : 0;
  l->still_blocks = gain < -STILL_BETTER ? l->still_blocks + 1 : 0;
  if (l->quick_blocks >= BETTER_BLOCKS) {
    vc_path_copy(&l->still, &l->quick);
    memcpy(l->still_left, l->quick_left, sizeof l->still_left);
    l->quick_blocks = 0;
  } else if (l->still_blocks >= BETTER_BLOCKS) {
    memcpy(l->quick.filter, l->still.filter, sizeof l->quick.filter);
    memcpy(l->quick_left, l->still_left, sizeof l->quick_left);
    l->still_blocks = 0;
  }
}

void vc_linear_process(vc_linear *l, const float *reference, const float *microphone, float *out,
                       float *estimate) VD_NONBLOCKING {
  const vc_spectrum *x[P];
  float unused[2][VC_ECHO_BLOCK];
  take_reference(l, reference, x);
  vc_path_process(&l->still, &l->transform, x, microphone, out, estimate);
  vc_path_process(&l->quick, &l->transform, x, microphone, unused[0], unused[1]);
  vc_loudspeaker_learn(l->loudspeaker, &l->transform, l->still.filter, P, VC_PARTITION_STRIDE,
                       &l->still.error, l->still.certainty);
  compare(l);
  follow_volume(l, estimate);
}

const float *vc_linear_misalignment(const vc_linear *l) VD_NONBLOCKING {
  return l->still.left;
}
