#ifndef OPUS_ERROR_H
#define OPUS_ERROR_H

#include <errno.h>
#include <opus/opus_defines.h>

#include "voice_realtime.h"

/// The errno that says the same as an error of libopus, negative.
static inline int opus_errno(int error) VD_NONBLOCKING {
  switch (error) {
  case OPUS_BAD_ARG:
    return -EINVAL;
  case OPUS_BUFFER_TOO_SMALL:
    return -ENOBUFS;
  case OPUS_INVALID_PACKET:
    return -EBADMSG;
  case OPUS_ALLOC_FAIL:
    return -ENOMEM;
  default:
    return -EIO;
  }
}

#endif
