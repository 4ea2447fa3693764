#include "alsa_calls.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "audio_wake.h"

#if defined(__clang__)
// alsa-lib knows no such promise. It runs here without its own locks (one thread for each PCM).
#pragma clang diagnostic ignored "-Wfunction-effects"
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define LIBRARY_BEGIN __rtsan_disable()
#define LIBRARY_END __rtsan_enable()
#endif
#endif
#ifndef LIBRARY_BEGIN
#define LIBRARY_BEGIN (void)0
#define LIBRARY_END (void)0
#endif

/// Poll descriptors of one PCM at most.
#define POLL_MAX 8

static int call_state(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int state = (int)snd_pcm_state(pcm);
  LIBRARY_END;
  return state;
}

static int call_prepare(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_prepare(pcm);
  LIBRARY_END;
  return result;
}

static int call_start(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  // Some plugins start by themselves when they are written to.
  int result = snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(pcm);
  LIBRARY_END;
  return result;
}

static int call_drop(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_drop(pcm);
  LIBRARY_END;
  return result;
}

static int call_resume(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  int result = snd_pcm_resume(pcm);
  LIBRARY_END;
  return result;
}

static long call_avail(snd_pcm_t *pcm) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  long avail = snd_pcm_avail_update(pcm);
  LIBRARY_END;
  return avail;
}

static int call_report(snd_pcm_t *pcm, ad_pcm_report *report) VD_NONBLOCKING {
  snd_pcm_status_t *status;
  snd_htimestamp_t stamp;
  LIBRARY_BEGIN;
  snd_pcm_status_alloca(&status);
  int result = snd_pcm_status(pcm, status);
  if (result == 0) {
    snd_pcm_status_get_htstamp(status, &stamp);
    report->avail = (long)snd_pcm_status_get_avail(status);
    report->delay = snd_pcm_status_get_delay(status);
    report->stamp_ns = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  }
  LIBRARY_END;
  return result;
}

static long call_read(snd_pcm_t *pcm, void *frames, unsigned long count,
                      bool mapped) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  long result = mapped ? snd_pcm_mmap_readi(pcm, frames, count) : snd_pcm_readi(pcm, frames, count);
  LIBRARY_END;
  return result;
}

static long call_write(snd_pcm_t *pcm, const void *frames, unsigned long count,
                       bool mapped) VD_NONBLOCKING {
  LIBRARY_BEGIN;
  long result =
      mapped ? snd_pcm_mmap_writei(pcm, frames, count) : snd_pcm_writei(pcm, frames, count);
  LIBRARY_END;
  return result;
}

static int call_wait(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING {
  struct pollfd descriptors[POLL_MAX + 1] = {{.fd = stop, .events = POLLIN}};
  struct timespec timeout = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
  LIBRARY_BEGIN;
  int count = pcm ? snd_pcm_poll_descriptors(pcm, &descriptors[1], POLL_MAX) : 0;
  if (count < 0)
    count = 0;
  int ready = ppoll(descriptors, (nfds_t)count + 1, &timeout, NULL);
  if (ready > 0 && count > 0) {
    // Plugins clear their timers in here; what it says is not believed, the loop asks for avail.
    unsigned short events;
    snd_pcm_poll_descriptors_revents(pcm, &descriptors[1], (unsigned)count, &events);
  }
  LIBRARY_END;
  if (ready > 0 && descriptors[0].revents)
    return 2;
  return ready == 0 ? 0 : 1;
}

static int64_t call_now_ns(void) VD_NONBLOCKING {
  struct timespec now;
  LIBRARY_BEGIN;
  clock_gettime(CLOCK_MONOTONIC, &now);
  LIBRARY_END;
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void call_close(snd_pcm_t *pcm) {
  snd_pcm_close(pcm);
}

const ad_alsa_calls ad_alsa_library = {
    .state = call_state,
    .prepare = call_prepare,
    .start = call_start,
    .drop = call_drop,
    .resume = call_resume,
    .avail = call_avail,
    .report = call_report,
    .read = call_read,
    .write = call_write,
    .wait = call_wait,
    .now_ns = call_now_ns,
    .close = call_close,
};

void ad_wake_signal(int descriptor) VD_NONBLOCKING {
  // Here because it is the audio thread's one system call besides ALSA's and poll.
  uint64_t one = 1;
  LIBRARY_BEGIN;
  // It never waits; a full counter leaves the descriptor readable, which is all that is wanted.
  ssize_t written = write(descriptor, &one, sizeof one);
  LIBRARY_END;
  (void)written;
}
