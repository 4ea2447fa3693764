#include "silero_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"

static const struct {
  const char *name;
  const char *shape;
  size_t count;
} TENSORS[] = {
    {"stft_conv.weight", "258,1,256", 258 * 256},
    {"conv1.weight", "128,129,3", 128 * 129 * 3},
    {"conv1.bias", "128", 128},
    {"conv2.weight", "64,128,3", 64 * 128 * 3},
    {"conv2.bias", "64", 64},
    {"conv3.weight", "64,64,3", 64 * 64 * 3},
    {"conv3.bias", "64", 64},
    {"conv4.weight", "128,64,3", 128 * 64 * 3},
    {"conv4.bias", "128", 128},
    {"lstm_cell.weight_ih", "512,128", 512 * 128},
    {"lstm_cell.weight_hh", "512,128", 512 * 128},
    {"lstm_cell.bias_ih", "512", 512},
    {"lstm_cell.bias_hh", "512", 512},
    {"final_conv.weight", "1,128,1", 128},
    {"final_conv.bias", "1", 1},
};

enum { TENSOR_COUNT = sizeof TENSORS / sizeof TENSORS[0], PREFIX = 8, HEADER_MAX = 4096 };

static void write_whole(const silero_file *file, const unsigned char *bytes) {
  FILE *stream = fopen(file->path, "wb");
  CHECK(stream != NULL);
  CHECK(fwrite(bytes, 1, file->size, stream) == file->size);
  CHECK(fclose(stream) == 0);
}

silero_file silero_file_make(void) {
  silero_file file = {.path = "/tmp/silero-check-XXXXXX"};
  const int descriptor = mkstemp(file.path);
  CHECK(descriptor >= 0);
  (void)close(descriptor);

  char header[HEADER_MAX];
  size_t length = 0;
  size_t floats = 0;
  for (size_t i = 0; i < TENSOR_COUNT; i++) {
    const size_t begin = floats * sizeof(float);
    floats += TENSORS[i].count;
    const int written = snprintf(
        header + length, sizeof header - length,
        "%s\"%s\": {\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
        i == 0 ? "{" : ", ", TENSORS[i].name, TENSORS[i].shape, begin, floats * sizeof(float));
    length += (size_t)written;
  }
  header[length++] = '}';

  file.header_bytes = length;
  file.size = PREFIX + length + floats * sizeof(float);
  file.bytes = malloc(file.size);
  CHECK(file.bytes != NULL);
  const uint64_t prefix = length;
  memcpy(file.bytes, &prefix, PREFIX);
  memcpy(file.bytes + PREFIX, header, length);
  for (size_t i = 0; i < floats; i++) {
    const float value = ((float)checks_random() / 4294967296.0f - 0.5f) * 0.2f;
    memcpy(file.bytes + PREFIX + length + i * sizeof value, &value, sizeof value);
  }
  write_whole(&file, file.bytes);
  return file;
}

void silero_file_damage(const silero_file *file, size_t bytes) {
  FILE *stream = fopen(file->path, "r+b");
  CHECK(stream != NULL);
  for (size_t i = 0; i < bytes; i++) {
    const long at = (long)checks_random_below((uint32_t)(PREFIX + file->header_bytes));
    CHECK(fseek(stream, at, SEEK_SET) == 0);
    CHECK(fputc((int)(checks_random() & 0xff), stream) != EOF);
  }
  CHECK(fclose(stream) == 0);
}

void silero_file_restore(const silero_file *file) {
  FILE *stream = fopen(file->path, "r+b");
  CHECK(stream != NULL);
  const size_t head = PREFIX + file->header_bytes;
  CHECK(fwrite(file->bytes, 1, head, stream) == head);
  CHECK(fclose(stream) == 0);
}

void silero_file_remove(silero_file *file) {
  CHECK(unlink(file->path) == 0);
  free(file->bytes);
  file->bytes = NULL;
}
