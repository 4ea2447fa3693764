#include "wave_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "room_clock.h"

#define HEADER_BYTES 44
#define FRAME_BYTES 4

static void put(uint8_t *to, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    to[i] = (uint8_t)(value >> 8 * i);
}

int wave_file_open(wave_file *file, const char *path) {
  file->frames = 0;
  file->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file->descriptor < 0)
    return -errno;
  int result = wave_file_patch(file);
  if (!result && lseek(file->descriptor, HEADER_BYTES, SEEK_SET) < 0)
    result = -errno;
  if (result)
    wave_file_close(file);
  return result;
}

int wave_file_append(wave_file *file, const int16_t *stereo, size_t frames) {
  const char *at = (const char *)stereo;
  size_t left = frames * FRAME_BYTES;
  while (left > 0) {
    ssize_t written = write(file->descriptor, at, left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return -errno;
    at += written;
    left -= (size_t)written;
  }
  file->frames += (int64_t)frames;
  return 0;
}

int wave_file_patch(const wave_file *file) {
  uint8_t header[HEADER_BYTES] = {0};
  uint32_t bytes = (uint32_t)(file->frames * FRAME_BYTES);
  memcpy(header, "RIFF", 4);
  put(header + 4, HEADER_BYTES - 8 + bytes, 4);
  memcpy(header + 8, "WAVEfmt ", 8);
  put(header + 16, 16, 4);
  put(header + 20, 1, 2);
  put(header + 22, 2, 2);
  put(header + 24, ROOM_RATE, 4);
  put(header + 28, ROOM_RATE * FRAME_BYTES, 4);
  put(header + 32, FRAME_BYTES, 2);
  put(header + 34, 16, 2);
  memcpy(header + 36, "data", 4);
  put(header + 40, bytes, 4);
  ssize_t written = pwrite(file->descriptor, header, sizeof header, 0);
  return written == (ssize_t)sizeof header ? 0 : written < 0 ? -errno : -EIO;
}

void wave_file_close(wave_file *file) {
  if (file->descriptor >= 0)
    close(file->descriptor);
  file->descriptor = -1;
}
