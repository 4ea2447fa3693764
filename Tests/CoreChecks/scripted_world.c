#include "scripted_world.h"

#include <math.h>

#include "pair_exchange.h"

scripted_world world;

scripted_side *scripted_side_of(snd_pcm_t *pcm) VD_NONBLOCKING {
  return (scripted_side *)pcm;
}

bool scripted_captures(const scripted_side *s) VD_NONBLOCKING {
  return s == &world.sides[AD_MICROPHONE];
}

double scripted_position(const scripted_side *s) VD_NONBLOCKING {
  if (s->state != SND_PCM_STATE_RUNNING || world.now_ns <= s->since_ns)
    return s->base;
  return s->base + (double)(world.now_ns - s->since_ns) * 1e-9 * s->rate;
}

void scripted_freeze(scripted_side *s, int state) VD_NONBLOCKING {
  s->base = floor(scripted_position(s));
  s->state = state;
}

long scripted_avail(const scripted_side *s) VD_NONBLOCKING {
  long moved = (long)scripted_position(s);
  return scripted_captures(s) ? moved - (long)s->application
                              : (long)s->buffer - ((long)s->application - moved);
}

/// The speaker plays from its position `before` to now.
static void play(scripted_side *s, long before) {
  long now = (long)scripted_position(s);
  if (now > (long)s->application)
    now = (long)s->application;
  for (long i = before; i < now; i++) {
    long number = lrintf(world.ring[i % SCRIPTED_RING] * NUMBER_SCALE) - 1;
    if (number < 0 || number >= SCRIPTED_FRAMES_MAX)
      continue;
    world.fate[number] |= 1;
    world.result->played_frames++;
    double at_ms = (double)s->since_ns * 1e-6 + ((double)i - s->base) / s->rate * 1e3 +
                   world.setting->codec_frames / 48.0;
    double error = fabs(at_ms - (double)world.said[number]);
    if (error > world.result->worst_heard_ms)
      world.result->worst_heard_ms = error;
  }
}

void scripted_reset(int side) VD_NONBLOCKING {
  const scripted_setting *setting = world.setting;
  uint32_t rate = setting->rate_hz ? setting->rate_hz : 48000;
  world.sides[side] =
      (scripted_side){.state = SND_PCM_STATE_SETUP,
                      .rate = rate * (side == AD_SPEAKER ? 1 + setting->speaker_ppm * 1e-6 : 1),
                      .period = setting->period,
                      .buffer = setting->buffer};
}

static void apply(scripted_fault *fault) {
  scripted_side *s = &world.sides[fault->side];
  int64_t until = world.now_ns + fault->length_ns;
  fault->is_done = true;
  world.last_fault_ns = until;
  bool runs = s->state == SND_PCM_STATE_RUNNING;
  switch (fault->kind) {
  case FAULT_INPUT_OUTPUT:
    s->bad_starts = 3;
    break;
  case FAULT_PREPARE_FAILS:
    s->bad_prepares = 5;
    break;
  case FAULT_STATE_LIES:
    s->state_lies = true;
    break;
  case FAULT_BAD_STATE:
    s->bad_states = 3;
    return;
  case FAULT_STALL:
    world.last_stall_ns = until;
    if (runs) {
      s->base = scripted_position(s);
      s->since_ns = s->stalled_until_ns = until;
    }
    return;
  case FAULT_POLL_ALWAYS:
    s->poll_always_until = until;
    return;
  case FAULT_POLL_NEVER:
    s->poll_never_until = until;
    return;
  case FAULT_NONSENSE_REPORT:
    s->nonsense_until = until;
    return;
  case FAULT_ZEROS:
    s->zeros_until = until;
    return;
  case FAULT_GONE:
    scripted_freeze(s, SND_PCM_STATE_DISCONNECTED);
    s->is_gone = true;
    return;
  case FAULT_BACK:
    scripted_reset(fault->side);
    world.offered_ns = world.now_ns;
    world.offered_side = fault->side;
    if (world.spare[fault->side] && ad_pair_may_offer(world.loop, fault->side)) {
      ad_pair_offer(world.loop, fault->side, world.spare[fault->side]);
      world.spare[fault->side] = NULL;
    }
    return;
  case FAULT_SUSPEND_AGAIN:
    s->resumes_again = 3;
    break;
  case FAULT_SUSPEND_NEVER:
    s->resumes_again = INT32_MAX;
    break;
  case FAULT_SUSPEND_LIES:
    s->resume_lies = true;
    break;
  default:
    break;
  }
  bool suspends = fault->kind >= FAULT_SUSPEND && fault->kind <= FAULT_SUSPEND_LIES;
  if (suspends)
    scripted_freeze(s, SND_PCM_STATE_SUSPENDED);
  else if (runs)
    scripted_freeze(s, SND_PCM_STATE_XRUN);
}

void scripted_fire_prepared(int which) VD_NONBLOCKING {
  for (size_t i = 0; i < world.faults->fault_count; i++) {
    scripted_fault *fault = &world.faults->faults[i];
    if (!fault->is_done && fault->moment == FAULT_AT_PREPARE && fault->side == which &&
        world.sides[which].prepares >= fault->after)
      apply(fault);
  }
}

/// The next moment at which something happens by itself, no later than `until`.
int64_t scripted_next_moment(int64_t until) VD_NONBLOCKING {
  while (world.first_fault < world.faults->fault_count &&
         world.faults->faults[world.first_fault].is_done)
    world.first_fault++;
  for (size_t i = world.first_fault; i < world.faults->fault_count; i++) {
    const scripted_fault *fault = &world.faults->faults[i];
    int64_t at = world.started_ns + fault->at_ns;
    if (!fault->is_done && fault->moment == FAULT_AT_TIME && at < until)
      until = at > world.now_ns ? at : world.now_ns;
    if (fault->moment == FAULT_AT_TIME && at > until)
      break; // They are in order.
  }
  return until;
}

static void settle(void) {
  scripted_side *microphone = &world.sides[AD_MICROPHONE], *speaker = &world.sides[AD_SPEAKER];
  if (microphone->state == SND_PCM_STATE_RUNNING &&
      scripted_avail(microphone) >= (long)microphone->buffer)
    scripted_freeze(microphone, SND_PCM_STATE_XRUN);
  if (speaker->state == SND_PCM_STATE_RUNNING &&
      scripted_position(speaker) >= (double)speaker->application) {
    speaker->base = (double)speaker->application;
    speaker->state = SND_PCM_STATE_XRUN;
  }
  for (size_t i = world.first_fault; i < world.faults->fault_count; i++) {
    scripted_fault *fault = &world.faults->faults[i];
    if (fault->moment == FAULT_AT_TIME && world.started_ns + fault->at_ns > world.now_ns)
      break;
    if (!fault->is_done && fault->moment == FAULT_AT_TIME)
      apply(fault);
  }
}

void scripted_pass_to(int64_t until) VD_NONBLOCKING {
  scripted_side *speaker = &world.sides[AD_SPEAKER];
  do {
    int64_t next = scripted_next_moment(until);
    long before = (long)scripted_position(speaker);
    world.now_ns = next;
    if (speaker->state == SND_PCM_STATE_RUNNING)
      play(speaker, before);
    settle();
  } while (world.now_ns < until);
}
