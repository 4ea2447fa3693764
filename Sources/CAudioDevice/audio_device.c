#include "audio_device.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "absent_pcm.h"
#include "alsa_open.h"
#include "audio_wake.h"
#include "pair_exchange.h"
#include "pair_loop.h"

/// Stack of the audio thread, touched and where permitted locked before the first period.
#define STACK_BYTES (256 * 1024)
#define STACK_TOUCHED_BYTES (128 * 1024)
/// Silence ahead of the speech where the application does not say.
#define PREFILL_PERIODS 3
/// Above the kernel's threaded interrupts' default (50) would starve the card itself.
#define FIFO_PRIORITY 40

struct ad_device {
  ad_pair_loop loop;
  ad_status opened; ///< names and notes as of open and start; constant while the thread runs
  pthread_t thread;
  _Atomic int running;
  _Atomic int realtime;
  _Atomic int realtime_error, memory_lock_error;
  bool started;
};

static int step_port(void *context, const float *microphone, const float *reference, float *speaker,
                     size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING {
  return vc_port_step(context, microphone, reference, speaker, speaker_frames, timing);
}

static void tell_port(void *context, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING {
  vc_port_device_event(context, kind, timestamp);
}

/// Makes what stands in for either direction. Result: 0 or -ENOMEM.
static int create_absent(ad_pair_loop *loop) {
  int result = ad_absent_create(&loop->absent[AD_MICROPHONE], true, &ad_alsa_library);
  return result < 0 ? result : ad_absent_create(&loop->absent[AD_SPEAKER], false, &ad_alsa_library);
}

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
  result = device->loop.stop < 0        ? device->loop.stop
           : config->goes_on_alone != 0 ? create_absent(&device->loop)
                                        : 0;
  if (result < 0) {
    snprintf(error, error_bytes,
             "The audio device cannot be made: %s. Free some memory or descriptors.",
             strerror(-result));
    ad_device_close(device);
    return result;
  }
  device->loop.calls = &ad_alsa_library;
  device->loop.step = step_port;
  device->loop.tell = tell_port;
  device->loop.context = port;
  // The core's timeline goes on where an earlier device left it.
  vc_playout before;
  vc_port_playout(port, &before);
  device->loop.capture_frames = before.next_capture_frame;
  device->loop.epoch = before.epoch;
  device->loop.wake = wake;
  device->loop.is_untimed = config->is_untimed != 0;
  atomic_init(&device->loop.hidden_latency_frames, config->hidden_latency_frames);
  atomic_init(&device->loop.speaker, config->speaker);
  device->loop.prefill_frames =
      (config->prefill_periods ? config->prefill_periods : PREFILL_PERIODS) * VC_BLOCK_FRAMES;
  // What an earlier device took along unplayed is never heard; the core knows how much that is.
  device->loop.unplayed_frames = before.epoch ? INT32_MAX : 0;
  *out = device;
  return 0;
}

/// Touches the stack that the loop will use, so that no page is missing later.
/// Result: 0, or the errno with which a lock was refused: the pages are there all the same, until
/// the machine runs short of memory.
static int prefault_stack(void) {
  volatile char pages[STACK_TOUCHED_BYTES];
  for (size_t i = 0; i < sizeof pages; i += 4096)
    pages[i] = 0;
  // The lock stays with the pages when this frame is gone.
  return mlock((const void *)pages, sizeof pages) == 0 ? 0 : errno;
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
  atomic_store(&device->realtime_error, refused);
  atomic_store(&device->realtime, refused == 0);
  int lock_error = prefault_stack();
  if (!lock_error)
    lock_error = -ad_pcm_lock(device->loop.pair.capture);
  if (!lock_error)
    lock_error = -ad_pcm_lock(device->loop.pair.playback);
  atomic_store(&device->memory_lock_error, lock_error);
  ad_pair_loop_run(&device->loop);
  atomic_store(&device->running, 0);
  return NULL;
}

int ad_device_start(ad_device *device) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error)
    return -error;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  atomic_store(&device->running, 1);
  error = pthread_create(&device->thread, &attributes, run, device);
  pthread_attr_destroy(&attributes);
  if (error) {
    atomic_store(&device->running, 0);
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
  ad_pair_close_exchanged(&device->loop);
  ad_pair_close(&device->loop.pair);
  ad_wake_destroy(device->loop.stop);
  free(device);
}

void ad_device_let_go(ad_device *device) {
  ad_pair_close_retired(&device->loop, AD_MICROPHONE);
  ad_pair_close_retired(&device->loop, AD_SPEAKER);
}

int ad_device_take_back(ad_device *device, const ad_config *config, char *error,
                        size_t error_bytes) {
  for (int side = 0; side < 2; side++) {
    if (!ad_pair_may_offer(&device->loop, side))
      continue;
    ad_pair_close_retired(&device->loop, side);
    // Of what was tried only the newest attempt is of interest.
    device->opened.refusal_count = 0;
    ad_pcm *pcm = NULL;
    int result =
        ad_side_open(&pcm, side == AD_MICROPHONE, config, &device->opened, error, error_bytes);
    if (result < 0)
      return result;
    // Whether it may be locked was seen at the start.
    (void)ad_pcm_lock(pcm);
    if (side == AD_SPEAKER) {
      atomic_store(&device->loop.hidden_latency_frames, config->hidden_latency_frames);
      atomic_store(&device->loop.speaker, config->speaker);
    }
    ad_pair_offer(&device->loop, side, pcm);
  }
  return 0;
}

static void side_status(const ad_loop_counters *counters, int side, ad_side_status *status) {
  *status = (ad_side_status){.restarts = atomic_load(&counters->restarts[side]),
                             .resumes = atomic_load(&counters->resumes[side]),
                             .failures = atomic_load(&counters->failures[side]),
                             .losses = atomic_load(&counters->losses[side]),
                             .returns = atomic_load(&counters->returns[side]),
                             .is_running = atomic_load(&counters->is_running[side]) != 0,
                             .is_gone = atomic_load(&counters->is_gone[side]) != 0};
}

void ad_device_status(const ad_device *device, ad_status *status) {
  *status = device->opened;
  const ad_loop_counters *counters = &device->loop.counters;
  status->running = atomic_load(&device->running) != 0;
  status->realtime = atomic_load(&device->realtime) != 0;
  status->realtime_error = atomic_load(&device->realtime_error);
  status->memory_lock_error = atomic_load(&device->memory_lock_error);
  status->xruns = atomic_load(&counters->xruns);
  status->spurious_wakes = atomic_load(&counters->spurious_wakes);
  status->wakes = atomic_load(&counters->wakes);
  status->stuck = atomic_load(&counters->stuck);
  status->refused_frames = atomic_load(&counters->refused_frames);
  status->lost_frames = atomic_load(&counters->lost_frames);
  status->unplayed_frames = atomic_load(&counters->unplayed_frames);
  status->inserted_frames = atomic_load(&counters->inserted_frames);
  status->skipped_frames = atomic_load(&counters->skipped_frames);
  status->stalls = atomic_load(&counters->stalls);
  status->silences = atomic_load(&counters->silences);
  status->microphone_is_silent = atomic_load(&counters->microphone_is_silent) != 0;
  side_status(counters, AD_MICROPHONE, &status->microphone);
  side_status(counters, AD_SPEAKER, &status->speaker);
  status->play_delay_frames = atomic_load(&counters->play_delay_frames);
  status->in_flight_frames = atomic_load(&counters->in_flight_frames);
  status->prefill_periods =
      (atomic_load(&counters->prefill_frames) + VC_BLOCK_FRAMES - 1) / VC_BLOCK_FRAMES;
  if (status->running && !status->realtime && status->note_count < AD_NOTES_MAX)
    snprintf(status->notes[status->note_count++], AD_TEXT_BYTES,
             "The audio thread runs without realtime priority (SCHED_FIFO was refused); a busy "
             "machine may make the sound stutter. `voice devices` says how to allow it.");
}

int ad_device_probe(const ad_config *config, ad_status *status, char *error, size_t error_bytes) {
  ad_pair pair = {0};
  *status = (ad_status){0};
  int result = ad_pair_open(&pair, config, status, error, error_bytes);
  ad_pair_close(&pair);
  return result;
}

const char *ad_device_lost_reason(const ad_device *device) {
  return device->loop.lost_reason;
}

const char *ad_device_gone_reason(const ad_device *device, int captures) {
  int side = captures ? AD_MICROPHONE : AD_SPEAKER;
  const char *reason = atomic_load(&device->loop.gone_reason[side]);
  return atomic_load(&device->loop.counters.is_gone[side]) && reason ? reason : "";
}
