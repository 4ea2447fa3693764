#include "speaker_line.h"

#include <string.h>

void speaker_line_set(speaker_line *line, int64_t frames) {
  memset(line->samples, 0, sizeof line->samples);
  line->frames = frames < SPEAKER_LINE_FRAMES ? frames : SPEAKER_LINE_FRAMES;
  line->at = 0;
}

void speaker_line_pass(speaker_line *line, float *block, size_t count) {
  if (line->frames == 0)
    return;
  for (size_t i = 0; i < count; i++) {
    float in = block[i];
    block[i] = line->samples[line->at];
    line->samples[line->at] = in;
    line->at = (line->at + 1) % line->frames;
  }
}
