#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static uint32_t word(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

float *wave_read(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  uint8_t head[12], chunk[8], format[16];
  float *samples = NULL;
  int is_right = fread(head, 1, 12, file) == 12 && memcmp(head, "RIFF", 4) == 0;
  while (is_right && fread(chunk, 1, 8, file) == 8) {
    uint32_t bytes = word(chunk + 4);
    if (memcmp(chunk, "fmt ", 4) == 0 && bytes >= 16) {
      is_right = fread(format, 1, 16, file) == 16 && word(format) == 0x00010001 &&
                 word(format + 4) == SCENE_RATE;
      fseek(file, bytes - 16, SEEK_CUR);
    } else if (memcmp(chunk, "data", 4) == 0) {
      int16_t *raw = malloc(bytes);
      *count = fread(raw, 2, bytes / 2, file);
      samples = malloc(*count * sizeof *samples);
      for (size_t i = 0; i < *count; i++)
        samples[i] = (float)raw[i] / 32768;
      free(raw);
      break;
    } else {
      fseek(file, bytes + (bytes & 1), SEEK_CUR);
    }
  }
  fclose(file);
  return samples;
}
