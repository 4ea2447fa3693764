// The negative control of the fan-out: every send of the process costs SLOW_SEND_NS more of CPU.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
  static ssize_t (*real_send)(int, const void *, size_t, int);
  static uint64_t cost_ns;
  if (!real_send) {
    const char *text = getenv("SLOW_SEND_NS");
    cost_ns = text ? strtoull(text, NULL, 10) : 0;
    *(void **)&real_send = dlsym(RTLD_NEXT, "send");
  }
  if (cost_ns) {
    for (uint64_t end = now_ns() + cost_ns; now_ns() < end;) {
    }
  }
  return real_send(fd, bytes, count, flags);
}
