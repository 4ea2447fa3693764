#include "audio_device.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alsa_open.h"
#include "audio_wake.h"
#include "pair_loop.h"

/// Stack of the audio thread, touched and where permitted locked before the first period.
#define STACK_BYTES (256 * 1024)
#define STACK_TOUCHED_BYTES (128 * 1024)
/// Above the kernel's threaded interrupts' default (50) would starve the card itself.
#define FIFO_PRIORITY 40

struct ad_device {
  ad_pair_loop loop;
  ad_status opened; ///< names and notes as of open and start; constant while the thread runs
  pthread_t thread;
  _Atomic int realtime;
  bool started;
};

int ad_device_open(ad_device **out, const ad_config *config, vc_port *port, int wake, char *error,
                   size_t error_bytes) {
  ad_device *device = calloc(1, sizeof *device);
  if (!device) {
    snprintf(error, error_bytes, "There is no memory for the audio device.");
    return -ENOMEM;
  }
  int result = ad_pair_open(&device->loop.pair, config, &device->opened, error, error_bytes);
  if (result < 0) {
    free(device);
    return result;
  }
  device->loop.stop = ad_wake_create();
  if (device->loop.stop < 0) {
    result = device->loop.stop;
    snprintf(error, error_bytes, "No event descriptor could be made: %s.", strerror(-result));
    ad_pair_close(&device->loop.pair);
    free(device);
    return result;
  }
  device->loop.port = port;
  // The core's timeline goes on where an earlier device left it.
  vc_playout before;
  vc_port_playout(port, &before);
  device->loop.capture_frames = before.next_capture_frame;
  device->loop.epoch = before.epoch;
  device->loop.wake = wake;
  device->loop.hidden_latency_frames = config->hidden_latency_frames;
  device->loop.prefill_periods = config->prefill_periods ? config->prefill_periods : 3;
  *out = device;
  return 0;
}

/// Touches the stack that the loop will use, so that no page is missing later.
static void prefault_stack(void) {
  volatile char pages[STACK_TOUCHED_BYTES];
  for (size_t i = 0; i < sizeof pages; i += 4096)
    pages[i] = 0;
  // Best effort: where RLIMIT_MEMLOCK forbids it, the pages are there all the same, until the
  // machine runs short of memory. The lock stays with the pages when this frame is gone.
  (void)mlock((const void *)pages, sizeof pages);
}

static void *end_at_once(void *context) {
  return context;
}

int ad_realtime_is_permitted(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return 0;
  struct sched_param priority = {.sched_priority = FIFO_PRIORITY};
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &priority);
  pthread_t thread;
  int refused = pthread_create(&thread, &attributes, end_at_once, NULL);
  if (!refused)
    pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return !refused;
}

static void *run(void *context) {
  ad_device *device = context;
  struct sched_param priority = {.sched_priority = FIFO_PRIORITY};
  int refused = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
  atomic_store(&device->realtime, refused == 0);
  prefault_stack();
  ad_pair_loop_run(&device->loop);
  atomic_store(&device->loop.running, 0);
  return NULL;
}

int ad_device_start(ad_device *device) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error)
    return -error;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  atomic_store(&device->loop.running, 1);
  error = pthread_create(&device->thread, &attributes, run, device);
  pthread_attr_destroy(&attributes);
  if (error) {
    atomic_store(&device->loop.running, 0);
    return -error;
  }
  pthread_setname_np(device->thread, "voice-audio");
  device->started = true;
  return 0;
}

void ad_device_close(ad_device *device) {
  if (!device)
    return;
  if (device->started) {
    ad_wake_signal(device->loop.stop);
    pthread_join(device->thread, NULL);
  }
  ad_pair_close(&device->loop.pair);
  ad_wake_destroy(device->loop.stop);
  free(device);
}

void ad_device_status(const ad_device *device, ad_status *status) {
  *status = device->opened;
  const ad_pair_loop *loop = &device->loop;
  status->running = atomic_load(&loop->running) != 0;
  status->realtime = atomic_load(&device->realtime) != 0;
  status->xruns = atomic_load(&loop->xruns);
  status->spurious_wakes = atomic_load(&loop->spurious_wakes);
  status->refused_frames = atomic_load(&loop->refused_frames);
  status->play_delay_frames = atomic_load(&loop->play_delay_frames);
  status->prefill_periods = atomic_load(&loop->prefill_now);
  if (status->running && !status->realtime && status->note_count < AD_NOTES_MAX)
    snprintf(status->notes[status->note_count++], AD_TEXT_BYTES,
             "The audio thread runs without realtime priority (SCHED_FIFO was refused); a busy "
             "machine may make the sound stutter. `voice devices` says how to allow it.");
}

const char *ad_device_lost_reason(const ad_device *device) {
  return device->loop.lost_reason;
}
