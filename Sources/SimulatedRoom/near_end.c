#include "near_end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t end_of(const utterance *said) {
  return said->start + (int64_t)said->frames;
}

int near_end_say(near_end *person, int64_t earliest, const int16_t *pcm, size_t frames,
                 int64_t *start) {
  if (person->count == NEAR_END_UTTERANCES)
    return -ENOSPC;
  int16_t *copy = malloc(frames * sizeof *copy);
  if (!copy)
    return -ENOMEM;
  memcpy(copy, pcm, frames * sizeof *copy);
  if (person->count > 0 && end_of(&person->queue[person->count - 1]) > earliest)
    earliest = end_of(&person->queue[person->count - 1]);
  person->queue[person->count++] = (utterance){.start = earliest, .frames = frames, .pcm = copy};
  *start = earliest;
  return 0;
}

void near_end_mix(const near_end *person, int64_t frame, float *out, size_t count) {
  int64_t end = frame + (int64_t)count;
  for (size_t i = 0; i < person->count; i++) {
    const utterance *said = &person->queue[i];
    int64_t from = said->start > frame ? said->start : frame;
    int64_t to = end_of(said) < end ? end_of(said) : end;
    for (int64_t at = from; at < to; at++)
      out[at - frame] += (float)said->pcm[at - said->start] / 32768;
  }
}

bool near_end_sweep(near_end *person, int64_t frame) {
  size_t gone = 0;
  while (gone < person->count && end_of(&person->queue[gone]) <= frame)
    free(person->queue[gone++].pcm);
  person->count -= gone;
  memmove(person->queue, person->queue + gone, person->count * sizeof *person->queue);
  return person->count == 0;
}
