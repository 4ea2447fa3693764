#include "audio_wake.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#if defined(__clang__)
// One write on an eventfd, which never waits: its counter cannot come near its bound.
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

int ad_wake_create(void) {
  int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

void ad_wake_destroy(int descriptor) {
  if (descriptor >= 0)
    close(descriptor);
}

void ad_wake_signal(int descriptor) VD_NONBLOCKING {
  uint64_t one = 1;
  // A full counter leaves the descriptor readable, which is all that is wanted.
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

void ad_wake_clear(int descriptor) {
  uint64_t count;
  ssize_t got = read(descriptor, &count, sizeof count);
  (void)got;
}
