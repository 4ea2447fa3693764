#include "safetensors.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the data is used as it lies in the file");

enum { PREFIX_BYTES = 8, FILE_BYTES_MAX = 16 << 20 };

static int read_all(FILE *file, char **out, size_t *out_bytes) {
  if (fseek(file, 0, SEEK_END) != 0) {
    return -errno;
  }
  const long size = ftell(file);
  if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
    return -errno;
  }
  if (size <= PREFIX_BYTES || size > FILE_BYTES_MAX) {
    return -EINVAL;
  }
  char *bytes = malloc((size_t)size);
  if (bytes == NULL) {
    return -ENOMEM;
  }
  if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
    free(bytes);
    return ferror(file) ? -EIO : -EINVAL;
  }
  *out = bytes;
  *out_bytes = (size_t)size;
  return 0;
}

int vd_safetensors_read(safetensors *out, const char *path) {
  memset(out, 0, sizeof *out);
  FILE *file = fopen(path, "rbe");
  if (file == NULL) {
    return -errno;
  }
  size_t size = 0;
  const int result = read_all(file, &out->bytes, &size);
  (void)fclose(file);
  if (result != 0) {
    return result;
  }
  uint64_t header_bytes = 0;
  memcpy(&header_bytes, out->bytes, PREFIX_BYTES);
  if (header_bytes > size - PREFIX_BYTES || out->bytes[PREFIX_BYTES] != '{') {
    vd_safetensors_free(out);
    return -EINVAL;
  }
  out->header = out->bytes + PREFIX_BYTES;
  out->header_bytes = (size_t)header_bytes;
  out->data = out->header + out->header_bytes;
  out->data_bytes = size - PREFIX_BYTES - out->header_bytes;
  return 0;
}

void vd_safetensors_free(safetensors *file) {
  free(file->bytes);
  memset(file, 0, sizeof *file);
}

/// Copies a tensor's entry, the braces after its name, without white space into `entry`.
static int find_entry(const safetensors *file, const char *name, char *entry, size_t room) {
  char key[64];
  const int length = snprintf(key, sizeof key, "\"%s\"", name);
  if (length < 0 || (size_t)length >= sizeof key) {
    return 0;
  }
  const char *at = memmem(file->header, file->header_bytes, key, (size_t)length);
  if (at == NULL) {
    return 0;
  }
  size_t used = 0;
  for (at += length; at < file->data && used + 1 < room; at++) {
    if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
      continue;
    }
    entry[used++] = *at;
    if (*at == '}') {
      entry[used] = 0;
      return strncmp(entry, ":{", 2) == 0;
    }
  }
  return 0;
}

const char *vd_safetensors_find(const safetensors *file, const char *name, const char *shape,
                                size_t count) {
  char entry[256];
  if (!find_entry(file, name, entry, sizeof entry)) {
    return NULL;
  }
  static const char shape_key[] = "\"shape\":";
  static const char offsets_key[] = "\"data_offsets\":[";
  const char *found_shape = strstr(entry, shape_key);
  const char *offsets = strstr(entry, offsets_key);
  if (strstr(entry, "\"dtype\":\"F32\"") == NULL || found_shape == NULL || offsets == NULL ||
      strncmp(found_shape + strlen(shape_key), shape, strlen(shape)) != 0) {
    return NULL;
  }
  char *rest = NULL;
  const unsigned long long begin = strtoull(offsets + strlen(offsets_key), &rest, 10);
  if (*rest != ',') {
    return NULL;
  }
  const unsigned long long end = strtoull(rest + 1, &rest, 10);
  if (*rest != ']' || begin > end || end > file->data_bytes ||
      end - begin != count * sizeof(float)) {
    return NULL;
  }
  return file->data + begin;
}
