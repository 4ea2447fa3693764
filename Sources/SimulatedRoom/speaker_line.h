#ifndef SPEAKER_LINE_H
#define SPEAKER_LINE_H

#include <stddef.h>
#include <stdint.h>

/// Longest way between a playback buffer and the air: 2 s.
#define SPEAKER_LINE_FRAMES 96000

/// What a device still plays when its buffer is empty: a television, a Bluetooth speaker.
typedef struct {
  int64_t frames; ///< its length
  int64_t at;
  float samples[SPEAKER_LINE_FRAMES];
} speaker_line;

/// Another length; what is in it is lost.
void speaker_line_set(speaker_line *line, int64_t frames);
/// Puts a block in and takes the one that comes out, in place.
void speaker_line_pass(speaker_line *line, float *block, size_t count);

#endif
