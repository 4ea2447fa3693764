#include "echo_canceller.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "linear_canceller.h"

/// Below this mean square the agent is silent: -60 dBFS.
#define SILENCE 1e-6f
/// What of an echo is below this mean square is none: -100 dBFS.
#define NO_ECHO 1e-10f
/// An echo is heard from 6 dB above the noise on.
#define HEARD_RATIO 4.0f
/// Cancelling is shown by 7 dB less, above the noise, for so many blocks of the agent's speech.
#define SHOWN_RATIO 0.2f
#define SHOWN_BLOCKS 12
/// The path has changed when the echo that is taken away adds power for so many blocks.
#define CHANGED_RATIO 1.1f
#define CHANGED_BLOCKS 8
/// Blocks of which the quietest is noise: 1 s.
#define NOISE_BLOCKS 100

struct vc_echo {
  vc_linear *linear;
  float microphone, error, estimate;     ///< mean squares over 60 ms
  float spoken_microphone, spoken_error; ///< over 0.2 s of the agent's speech
  float noise;     ///< least mean square of the error in this and the last NOISE_BLOCKS
  float lowest[2]; ///< of each
  uint32_t blocks;
  int shown, proven, changed; ///< blocks in a row
  bool cancels, has_cancelled;
};

int vc_echo_create(vc_echo **out) {
  vc_echo *echo = calloc(1, sizeof *echo);
  if (!echo)
    return -ENOMEM;
  int result = vc_linear_create(&echo->linear);
  if (result < 0) {
    free(echo);
    return result;
  }
  *out = echo;
  return 0;
}

void vc_echo_destroy(vc_echo *echo) {
  if (!echo)
    return;
  vc_linear_destroy(echo->linear);
  free(echo);
}

void vc_echo_restart(vc_echo *echo) VD_NONBLOCKING {
  vc_linear_reset(echo->linear);
  echo->cancels = echo->has_cancelled = false;
  echo->shown = echo->proven = echo->changed = 0;
}

static float mean_square(const float *samples) VD_NONBLOCKING {
  float sum = 0;
  for (int i = 0; i < VC_ECHO_BLOCK; i++)
    sum += samples[i] * samples[i];
  return sum / VC_ECHO_BLOCK;
}

static void follow(float *mean, float value, float share) VD_NONBLOCKING {
  *mean += share * (value - *mean);
}

/// Nothing counts as noise before it has lasted for a second.
static void follow_noise(vc_echo *echo, float error) VD_NONBLOCKING {
  echo->lowest[0] = fminf(echo->lowest[0], error);
  echo->noise = fminf(echo->lowest[0], echo->lowest[1]);
  if (++echo->blocks % NOISE_BLOCKS != 0)
    return;
  echo->lowest[1] = echo->lowest[0];
  echo->lowest[0] = error;
}

/// Whether the echo is taken away, and whether it was one: of a headset's silence nothing is
/// proven.
static void look_for_proof(vc_echo *echo) VD_NONBLOCKING {
  bool has_echo = echo->spoken_microphone > HEARD_RATIO * echo->noise + NO_ECHO;
  bool is_shown = echo->spoken_error < SHOWN_RATIO * echo->spoken_microphone + 2 * echo->noise;
  echo->shown = is_shown ? echo->shown + 1 : 0;
  echo->proven = is_shown && has_echo ? echo->proven + 1 : 0;
  echo->cancels |= echo->shown > SHOWN_BLOCKS;
  echo->has_cancelled |= echo->proven > SHOWN_BLOCKS;
}

void vc_echo_process(vc_echo *echo, const float *reference, const float *microphone,
                     vc_echo_block *block) VD_NONBLOCKING {
  vc_linear_process(echo->linear, reference, microphone, block->error, block->estimate);
  block->misalignment = vc_linear_misalignment(echo->linear);
  float heard = mean_square(microphone), error = mean_square(block->error);
  follow_noise(echo, error);
  if (mean_square(reference) > SILENCE) {
    follow(&echo->spoken_microphone, heard, 0.05f);
    follow(&echo->spoken_error, error, 0.05f);
    look_for_proof(echo);
  }
  follow(&echo->microphone, heard, 0.15f);
  follow(&echo->error, error, 0.15f);
  follow(&echo->estimate, mean_square(block->estimate), 0.15f);
  // Whoever speaks, to take the right echo away never adds power.
  bool is_changed = echo->error > CHANGED_RATIO * echo->microphone &&
                    echo->estimate > 10 * echo->noise && echo->estimate > 0.2f * echo->microphone;
  echo->changed = is_changed ? echo->changed + 1 : 0;
  if (echo->cancels && echo->changed > CHANGED_BLOCKS)
    vc_echo_restart(echo);
  block->cancels = echo->cancels;
  block->has_cancelled = echo->has_cancelled;
}
