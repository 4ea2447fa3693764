#include "absent_pcm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RATE_HZ 48000
/// Silence that waits at most; a reader that was late for longer finds no more.
#define BUFFER_FRAMES (8 * VC_BLOCK_FRAMES)

/// Behind the handle of such a PCM.
typedef struct {
  const ad_alsa_calls *world;
  bool captures;
  bool runs;
  int64_t since_ns;
  int64_t read; ///< frames, since then
} absent;

static absent *absent_of(snd_pcm_t *pcm) VD_NONBLOCKING {
  return (absent *)pcm;
}

static int call_state(snd_pcm_t *pcm) VD_NONBLOCKING {
  const absent *a = absent_of(pcm);
  if (!a->captures)
    return SND_PCM_STATE_DISCONNECTED;
  return a->runs ? SND_PCM_STATE_RUNNING : SND_PCM_STATE_PREPARED;
}

static int call_prepare(snd_pcm_t *pcm) VD_NONBLOCKING {
  absent_of(pcm)->runs = false;
  return absent_of(pcm)->captures ? 0 : -ENODEV;
}

static int call_start(snd_pcm_t *pcm) VD_NONBLOCKING {
  absent *a = absent_of(pcm);
  if (!a->captures)
    return -ENODEV;
  a->runs = true;
  a->since_ns = a->world->now_ns();
  a->read = 0;
  return 0;
}

static int call_drop(snd_pcm_t *pcm) VD_NONBLOCKING {
  return call_prepare(pcm);
}

static int call_resume(snd_pcm_t *pcm) VD_NONBLOCKING {
  (void)pcm;
  return -ENODEV;
}

static long call_avail(snd_pcm_t *pcm) VD_NONBLOCKING {
  absent *a = absent_of(pcm);
  if (!a->captures)
    return -ENODEV;
  if (!a->runs)
    return 0;
  long there = (long)((a->world->now_ns() - a->since_ns) * 6 / 125000 - a->read);
  return there > BUFFER_FRAMES ? -EPIPE : there;
}

static int call_report(snd_pcm_t *pcm, ad_pcm_report *report) VD_NONBLOCKING {
  long there = call_avail(pcm);
  if (there < 0)
    return (int)there;
  *report =
      (ad_pcm_report){.avail = there, .delay = there, .stamp_ns = absent_of(pcm)->world->now_ns()};
  return 0;
}

static long call_read(snd_pcm_t *pcm, void *frames, unsigned long count,
                      bool mapped) VD_NONBLOCKING {
  (void)mapped;
  long there = call_avail(pcm);
  if (there <= 0)
    return there == 0 ? -EAGAIN : there;
  if ((long)count > there)
    count = (unsigned long)there;
  memset(frames, 0, count * sizeof(float));
  absent_of(pcm)->read += (int64_t)count;
  return (long)count;
}

static long call_write(snd_pcm_t *pcm, const void *frames, unsigned long count,
                       bool mapped) VD_NONBLOCKING {
  (void)pcm, (void)frames, (void)count, (void)mapped;
  return -ENODEV;
}

static int call_wait(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING {
  return absent_of(pcm)->world->wait(NULL, stop, timeout_ns);
}

static int64_t call_now_ns(void) VD_NONBLOCKING {
  return ad_alsa_library.now_ns();
}

static void call_close(snd_pcm_t *pcm) {
  free(pcm);
}

static const ad_alsa_calls absent_calls = {.state = call_state,
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
                                           .close = call_close};

int ad_absent_create(ad_pcm **out, bool captures, const ad_alsa_calls *world) {
  absent *made = calloc(1, sizeof *made);
  if (!made)
    return -ENOMEM;
  *made = (absent){.world = world, .captures = captures};
  ad_pcm_shape shape = {.handle = (snd_pcm_t *)made,
                        .calls = &absent_calls,
                        .captures = captures,
                        .format = AD_FLOAT,
                        .rate_hz = RATE_HZ,
                        .channels = 1,
                        .period = VC_BLOCK_FRAMES,
                        .buffer = BUFFER_FRAMES,
                        .mask = 1,
                        .name = "none"};
  return ad_pcm_create(out, &shape);
}
