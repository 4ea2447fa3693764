#include <errno.h>
#include <math.h>

#include "scripted_world.h"

/// Each call takes so long: a loop that never sleeps makes time pass all the same.
#define CALL_NS 2000

/// Every call takes its time.
static void enter(void) {
  world.result->calls++;
  scripted_pass_to(world.now_ns + CALL_NS);
}

static int call_state(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (world.setting->ignores_the_speaker && !scripted_captures(s))
    return SND_PCM_STATE_RUNNING;
  return s->state_lies ? SND_PCM_STATE_RUNNING : s->state;
}

static int call_prepare(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  s->prepares++;
  if (s->bad_prepares > 0) {
    s->bad_prepares--;
    return -EIO;
  }
  s->state = SND_PCM_STATE_PREPARED;
  s->base = 0;
  s->application = 0;
  s->state_lies = s->resume_lies = false;
  s->resumes_again = 0;
  scripted_fire_prepared(scripted_captures(s) ? AD_MICROPHONE : AD_SPEAKER);
  return 0;
}

static int call_start(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  if (s->bad_starts > 0) {
    s->bad_starts--;
    return -EIO;
  }
  if (s->state != SND_PCM_STATE_PREPARED)
    return s->state == SND_PCM_STATE_SUSPENDED ? -ESTRPIPE : -EBADFD;
  if (!scripted_captures(s) && s->application == 0)
    return -EPIPE;
  s->state = SND_PCM_STATE_RUNNING;
  s->since_ns = world.now_ns > s->stalled_until_ns ? world.now_ns : s->stalled_until_ns;
  return 0;
}

static int call_drop(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  scripted_freeze(s, SND_PCM_STATE_SETUP);
  return 0;
}

static int call_resume(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (s->resume_lies)
    return 0;
  if (s->resumes_again > 0) {
    s->resumes_again--;
    return -EAGAIN;
  }
  if (s->state == SND_PCM_STATE_SUSPENDED) {
    s->state = SND_PCM_STATE_RUNNING;
    s->since_ns = world.now_ns;
  }
  return 0;
}

/// What a transfer answers in this state; 0 when it may go on.
static int refusal(scripted_side *s) {
  if (s->bad_states > 0) {
    s->bad_states--;
    return -EBADFD;
  }
  switch (s->state) {
  case SND_PCM_STATE_RUNNING:
    return 0;
  case SND_PCM_STATE_PREPARED:
    return scripted_captures(s) ? -EAGAIN : 0;
  case SND_PCM_STATE_XRUN:
    return -EPIPE;
  case SND_PCM_STATE_SUSPENDED:
    return -ESTRPIPE;
  case SND_PCM_STATE_DISCONNECTED:
    return -ENODEV;
  default:
    return -EBADFD;
  }
}

static long call_avail(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  int refused = refusal(s);
  if (refused == -EAGAIN)
    return 0;
  return refused ? refused : scripted_avail(s);
}

static int call_report(snd_pcm_t *pcm, ad_pcm_report *report) VD_NONBLOCKING {
  enter();
  scripted_side *s = scripted_side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  report->avail = scripted_avail(s);
  report->delay = scripted_captures(s) ? scripted_avail(s)
                                       : (long)s->application - (long)scripted_position(s) +
                                             (long)world.setting->codec_frames;
  report->stamp_ns = world.now_ns;
  if (world.now_ns < s->nonsense_until) {
    report->delay = world.now_ns / 1000000 % 2 ? -5000 : 5000000;
    report->stamp_ns = world.now_ns / 2000000 % 2 ? 0 : INT64_MAX / 4;
  }
  return 0;
}

static long call_read(snd_pcm_t *pcm, void *frames, unsigned long count,
                      bool mapped) VD_NONBLOCKING {
  (void)mapped;
  enter();
  scripted_side *s = scripted_side_of(pcm);
  int refused = refusal(s);
  if (refused)
    return refused;
  long there = scripted_avail(s);
  if (there <= 0)
    return -EAGAIN;
  if ((long)count > there)
    count = (unsigned long)there;
  float *out = frames;
  bool zeros = world.now_ns < s->zeros_until;
  for (unsigned long i = 0; i < count; i++) {
    double at_ms =
        (double)s->since_ns * 1e-6 + ((double)(s->application + i) - s->base) / s->rate * 1e3;
    // The sample tells when it was captured, in frames of a perfect clock.
    out[i] = zeros ? 0 : (float)(lrint(at_ms * 48) % 8388608 + 1) / NUMBER_SCALE;
  }
  s->application += count;
  return (long)count;
}

static long call_write(snd_pcm_t *pcm, const void *frames, unsigned long count,
                       bool mapped) VD_NONBLOCKING {
  (void)mapped;
  enter();
  scripted_side *s = scripted_side_of(pcm);
  int refused = refusal(s);
  if (refused)
    return refused;
  long room = scripted_avail(s);
  if (room <= 0)
    return -EAGAIN;
  if ((long)count > room)
    count = (unsigned long)room;
  const float *in = frames;
  for (unsigned long i = 0; i < count; i++)
    world.ring[(s->application + i) % SCRIPTED_RING] = in[i];
  s->application += count;
  return (long)count;
}

static int64_t ready_at(const scripted_side *s) {
  if (s->state != SND_PCM_STATE_RUNNING)
    return s->state == SND_PCM_STATE_PREPARED ? INT64_MAX : world.now_ns;
  uint64_t wanted = s->application + VC_BLOCK_FRAMES;
  // A card interrupts at its period boundaries.
  wanted = (wanted + s->period - 1) / s->period * s->period;
  double left = ((double)wanted - s->base) / s->rate * 1e9;
  int64_t at = s->since_ns + (int64_t)ceil(left);
  return at > world.now_ns ? at : world.now_ns;
}

static int call_wait(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING {
  (void)stop;
  enter();
  if (world.now_ns - world.window_ns > 100000000) {
    world.window_ns = world.now_ns;
    world.window_waits = 0;
  }
  if (++world.window_waits > world.result->most_waits_per_100)
    world.result->most_waits_per_100 = world.window_waits;
  int64_t until = world.now_ns + timeout_ns, end = world.started_ns + world.setting->stop_ns;
  int answer = 0;
  if (pcm) {
    scripted_side *s = scripted_side_of(pcm);
    if (world.now_ns < s->poll_always_until || s->is_gone) {
      until = world.now_ns;
      answer = 1;
    } else if (world.now_ns >= s->poll_never_until && ready_at(s) <= until) {
      until = ready_at(s);
      answer = 1;
    }
  }
  if (until >= end || world.result->calls > CALLS_MAX) {
    world.result->is_runaway |= world.result->calls > CALLS_MAX;
    if (end > world.now_ns)
      scripted_pass_to(end);
    return 2;
  }
  // A fault changes what is ready; the caller looks again, as after a signal.
  int64_t next = scripted_next_moment(until);
  if (until > world.now_ns)
    scripted_pass_to(next);
  return next < until ? 1 : answer;
}

static int64_t call_now_ns(void) VD_NONBLOCKING {
  enter();
  return world.now_ns;
}

static void call_close(snd_pcm_t *pcm) {
  (void)pcm;
}

const ad_alsa_calls scripted_calls = {.state = call_state,
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
