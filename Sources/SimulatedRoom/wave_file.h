#ifndef WAVE_FILE_H
#define WAVE_FILE_H

#include <stddef.h>
#include <stdint.h>

/// Frames of a stereo 16-bit file that its 32-bit sizes can count: 6 h 12 min.
#define WAVE_FILE_MAX_FRAMES ((int64_t)(UINT32_MAX - 64) / 4)

/// A stereo 48 kHz 16-bit WAV file being written; its header is true after every
/// `wave_file_patch`, so a killed process leaves a readable file.
typedef struct {
  int descriptor;
  int64_t frames;
} wave_file;

/// Creates or truncates the file. Result: 0 or a negative errno.
int wave_file_open(wave_file *file, const char *path);
/// Appends frames of two samples. Result: 0 or a negative errno.
int wave_file_append(wave_file *file, const int16_t *stereo, size_t frames);
/// Writes the length so far into the header. Result: 0 or a negative errno.
int wave_file_patch(const wave_file *file);
void wave_file_close(wave_file *file);

#endif
