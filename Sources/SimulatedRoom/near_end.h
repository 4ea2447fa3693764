#ifndef NEAR_END_H
#define NEAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Utterances waiting or being said at most; further ones are refused.
#define NEAR_END_UTTERANCES 16

typedef struct {
  int64_t start;
  size_t frames;
  int16_t *pcm;
} utterance;

/// The person in the room: what is still to be said, in order.
typedef struct {
  utterance queue[NEAR_END_UTTERANCES];
  size_t count;
} near_end;

/// Queues a copy of `pcm` after the rest and not before `earliest`.
/// Result: 0, -ENOMEM or -ENOSPC.
int near_end_say(near_end *person, int64_t earliest, const int16_t *pcm, size_t frames,
                 int64_t *start);
/// Adds what is said from `frame` on.
void near_end_mix(const near_end *person, int64_t frame, float *out, size_t count);
/// Forgets what ended before `frame`. Result: whether nothing is left.
bool near_end_sweep(near_end *person, int64_t frame);

#endif
