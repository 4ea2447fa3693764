#ifndef SILERO_FILE_H
#define SILERO_FILE_H

#include <stddef.h>

/// A file shaped like the weights of Silero VAD with random numbers in it, so that the checks need
/// no model. It lies in the temporary directory.
typedef struct {
  char path[64];
  unsigned char *bytes;
  size_t size;
  size_t header_bytes;
} silero_file;

silero_file silero_file_make(void);
/// Overwrites random bytes of the header in the file.
void silero_file_damage(const silero_file *file, size_t bytes);
void silero_file_restore(const silero_file *file);
void silero_file_remove(silero_file *file);

#endif
