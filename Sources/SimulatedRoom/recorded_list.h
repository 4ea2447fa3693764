#ifndef RECORDED_LIST_H
#define RECORDED_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "impulse_response.h"

/// Utterances the list holds; later ones are missing from it.
#define RECORDED_UTTERANCES 1024

typedef struct {
  int64_t start;
  int64_t frames;
} recorded_utterance;

/// What stands beside a recording: the acoustics and when the person spoke.
typedef struct {
  room_acoustics acoustics;
  recorded_utterance utterances[RECORDED_UTTERANCES];
  size_t count;
} recorded_list;

/// Writes the list as JSON beside its final path and puts it in place, so that a reader never sees
/// half of it. Result: 0 or a negative errno.
int recorded_list_write(const recorded_list *list, const char *path);

#endif
