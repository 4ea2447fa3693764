#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "plane.h"

enum {
  TICK_MS = 5,         ///< while speech waits for its time: a quarter of a packet
  IDLE_TICK_MS = 1000, ///< else every wake comes from control
};

static void raise_event(int descriptor) {
  const uint64_t one = 1;
  // Fails only when the counter is full: then it is readable anyway.
  (void)!write(descriptor, &one, sizeof one);
}

void mt_plane_wake(mt_plane *plane) {
  if (!atomic_exchange(&plane->is_woken, 1)) {
    raise_event(plane->wake);
  }
}

void mt_plane_announce(mt_plane *plane) {
  atomic_store(&plane->is_ready, 1);
  raise_event(plane->ready);
}

static int64_t monotonic_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *run(void *argument) {
  mt_plane *plane = argument;
  while (!atomic_load(&plane->is_stopping)) {
    struct pollfd wait = {.fd = plane->wake, .events = POLLIN};
    if (poll(&wait, 1, plane->is_active ? TICK_MS : IDLE_TICK_MS) > 0) {
      uint64_t value = 0;
      (void)!read(plane->wake, &value, sizeof value);
    }
    // Taken back before the step: whatever control adds from here on wakes the thread again.
    (void)atomic_exchange(&plane->is_woken, 0);
    mt_plane_step(plane, monotonic_ns());
    if (plane->pushed > 0) {
      mt_plane_announce(plane);
    }
  }
  return NULL;
}

int mt_plane_start(mt_plane *plane) {
  if (plane->has_thread) {
    return -EALREADY;
  }
  atomic_store(&plane->is_stopping, 0);
  // Signals are for the application's threads.
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const int result = pthread_create(&plane->thread, NULL, run, plane);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (result != 0) {
    return -result;
  }
  (void)pthread_setname_np(plane->thread, "media");
  plane->has_thread = 1;
  return 0;
}

void mt_plane_stop(mt_plane *plane) {
  if (!plane->has_thread) {
    return;
  }
  atomic_store(&plane->is_stopping, 1);
  raise_event(plane->wake);
  (void)pthread_join(plane->thread, NULL);
  plane->has_thread = 0;
}
