#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <stddef.h>

/// A safetensors file in memory: 8 bytes of header length, a JSON header, raw little-endian data.
typedef struct {
  char *bytes;
  const char *header;
  size_t header_bytes;
  const char *data;
  size_t data_bytes;
} safetensors;

/// Reads a file. Result: 0, -ENOENT or another errno of reading, -EINVAL (no safetensors file or
/// over 16 MiB), -ENOMEM. Role: any; blocks on the disk.
int vd_safetensors_read(safetensors *out, const char *path);
void vd_safetensors_free(safetensors *file);
/// Finds a float32 tensor of exactly `count` elements with the shape written as in the header
/// without spaces, "[128,64,3]". Result: its data (maybe unaligned), or NULL.
const char *vd_safetensors_find(const safetensors *file, const char *name, const char *shape,
                                size_t count);

#endif
