// What the audio thread asks of its surroundings in each period, on the simulated room in real
// time: counted by what takes the C library's place and by a tracer, libraries included. The
// argument names a crime that it then commits in every period; the run must fail with each.

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "audio_device.h"
#include "audio_wake.h"
#include "thread_watch.h"

enum { WARM_MS = 1000, WATCHED_MS = 3000 };

static const char *crime = "";
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept;

// The linker's --wrap sends the audio thread's reads through here.
snd_pcm_sframes_t __real_snd_pcm_readi(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t size);
snd_pcm_sframes_t __wrap_snd_pcm_readi(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t size);

snd_pcm_sframes_t __wrap_snd_pcm_readi(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t size) {
  if (strcmp(crime, "allocates") == 0) {
    kept = malloc(100);
    free(kept);
  } else if (strcmp(crime, "locks") == 0) {
    pthread_mutex_lock(&own_lock);
    pthread_mutex_unlock(&own_lock);
  } else if (strcmp(crime, "calls") == 0) {
    (void)syscall(SYS_getppid);
  }
  return __real_snd_pcm_readi(pcm, buffer, size);
}

static int64_t now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t blocks(const vc_port *port) {
  vc_counters counters;
  uint64_t dropped = 0;
  vc_port_counters(port, &counters, &dropped);
  return counters.blocks;
}

/// Lets time pass while the application takes what there is.
static void pass(vc_port *port, int wake, int duration_ms) {
  const int64_t end = now_ms() + duration_ms;
  while (now_ms() < end) {
    struct pollfd wait = {.fd = wake, .events = POLLIN};
    (void)poll(&wait, 1, 20);
    ad_wake_clear(wake);
    vd_packet packets[8];
    vc_event events[8];
    while (vc_port_take_packets(port, packets, 8) + vc_port_take_events(port, events, 8) > 0)
      continue;
  }
}

static int failures;

static void expect(int holds, const char *name, double value) {
  failures += !holds;
  (void)printf("  %s %s: %.3g\n", holds ? "passed" : "FAILED", name, value);
}

int main(int count, char **arguments) {
  crime = count > 1 ? arguments[1] : "";
  vc_config config = vc_config_default();
  vc_port *port = NULL;
  ad_device *device = NULL;
  const ad_config names = {.capture = "simroom", .playback = "simroom", .prefill_periods = 6};
  char error[512] = "";
  const int wake = ad_wake_create();
  if (wake < 0 || vc_port_create(&port, &config) != 0 ||
      ad_device_open(&device, &names, port, wake, error, sizeof error) != 0 ||
      ad_device_start(device) != 0) {
    (void)printf("The device could not be started: %s\n", error);
    return 1;
  }
  pass(port, wake, WARM_MS);
  ad_status before;
  ad_device_status(device, &before);
  thread_watch *watch = NULL;
  const int watching = thread_watch_begin(&watch, "voice-audio");
  if (watching != 0) {
    (void)printf("The audio thread cannot be watched: %s\n", strerror(-watching));
    return 77;
  }
  const uint64_t begun = blocks(port);
  pass(port, wake, WATCHED_MS);
  const double periods = (double)(blocks(port) - begun);
  thread_calls calls;
  const int ended = thread_watch_end(watch, &calls);
  ad_status after;
  ad_device_status(device, &after);
  ad_device_close(device);
  vc_port_destroy(port);
  ad_wake_destroy(wake);

  (void)printf("  %.0f periods, %lu xruns, %lu spurious wakes\n", periods,
               (unsigned long)(after.xruns - before.xruns),
               (unsigned long)(after.spurious_wakes - before.spurious_wakes));
  expect(ended == 0 && periods > 100, "periods watched", periods);
  expect(calls.library.allocations + calls.library.frees == 0, "allocations and frees",
         (double)(calls.library.allocations + calls.library.frees));
  expect(calls.library.own_locks == 0, "locks of ours", (double)calls.library.own_locks);
  // A period that the tracer saw and the counter did not, at either end.
  expect((double)calls.wakes <= periods + 2, "eventfd writes a period",
         (double)calls.wakes / periods);
  expect(calls.others == 0, "system calls beside poll, the card's and the wake",
         (double)calls.others);
  if (calls.others > 0)
    (void)printf("    the first is number %ld\n", (long)calls.first_other);
  expect(calls.sleeps <= after.spurious_wakes - before.spurious_wakes + 2,
         "sleeps that no early wake asked for",
         (double)calls.sleeps - (double)(after.spurious_wakes - before.spurious_wakes));
  (void)printf(
      "  a period: %.2f polls, %.2f calls on the card, %.2f sleeps, %.2f futexes; locks of "
      "libraries %.2f, of the room %.2f\n",
      (double)calls.polls / periods, (double)calls.card / periods, (double)calls.sleeps / periods,
      (double)calls.futexes / periods, (double)calls.library.library_locks / periods,
      (double)calls.library.room_locks / periods);
  return failures == 0 ? 0 : 1;
}
