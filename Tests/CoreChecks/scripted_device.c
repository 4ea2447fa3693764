#include "scripted_device.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Each call takes so long: a loop that never sleeps makes time pass all the same.
#define CALL_NS 2000
#define CALLS_MAX 200000000u
/// What one sample is numbered with; a float holds 2^24 of them.
#define NUMBER_SCALE 16777216.0f
#define RING 65536

typedef struct {
  int state; ///< a snd_pcm_state_t
  double rate;
  uint32_t period, buffer;
  double base;      ///< position at `since_ns`
  int64_t since_ns; ///< it moves from then on
  int64_t stalled_until_ns;
  uint64_t application;
  uint32_t prepares;
  // Faults in force:
  int resumes_again, bad_states, bad_starts, bad_prepares;
  bool resume_lies, state_lies, is_gone;
  int64_t poll_always_until, poll_never_until, nonsense_until, zeros_until;
} side;

static struct {
  const scripted_setting *setting;
  scripted_setting *faults;
  ad_pair_loop *loop;
  scripted_result *result;
  size_t first_fault; ///< those before it are done
  int64_t now_ns, started_ns;
  side sides[2];
  float ring[RING]; ///< what the speaker holds
  uint64_t window_waits;
  int64_t window_ns;
  int64_t last_block_ns, last_fault_ns;
  double first_capture_offset;
  bool has_offset;
  uint8_t *fate; ///< by core frame: 1 played, 2 told as unplayed
  float *said;   ///< by core frame: ms at which it was said to be heard
  double flight_sum;
  uint64_t flight_count;
} world;

static snd_pcm_t *const handles[2] = {(snd_pcm_t *)&world.sides[0], (snd_pcm_t *)&world.sides[1]};

static side *side_of(snd_pcm_t *pcm) {
  return (side *)pcm;
}

static bool captures(const side *s) {
  return s == &world.sides[AD_MICROPHONE];
}

static double position(const side *s) {
  if (s->state != SND_PCM_STATE_RUNNING || world.now_ns <= s->since_ns)
    return s->base;
  return s->base + (double)(world.now_ns - s->since_ns) * 1e-9 * s->rate;
}

static void freeze(side *s, int state) {
  s->base = floor(position(s));
  s->state = state;
}

static long avail_of(const side *s) {
  long moved = (long)position(s);
  return captures(s) ? moved - (long)s->application
                     : (long)s->buffer - ((long)s->application - moved);
}

/// The speaker plays from its position `before` to now.
static void play(side *s, long before) {
  long now = (long)position(s);
  if (now > (long)s->application)
    now = (long)s->application;
  for (long i = before; i < now; i++) {
    long number = lrintf(world.ring[i % RING] * NUMBER_SCALE) - 1;
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

static void apply(scripted_fault *fault) {
  side *s = &world.sides[fault->side];
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
    if (runs) {
      s->base = position(s);
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
    freeze(s, SND_PCM_STATE_DISCONNECTED);
    s->is_gone = true;
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
    freeze(s, SND_PCM_STATE_SUSPENDED);
  else if (runs)
    freeze(s, SND_PCM_STATE_XRUN);
}

static void fire_prepared(int which) {
  for (size_t i = 0; i < world.faults->fault_count; i++) {
    scripted_fault *fault = &world.faults->faults[i];
    if (!fault->is_done && fault->moment == FAULT_AT_PREPARE && fault->side == which &&
        world.sides[which].prepares >= fault->after)
      apply(fault);
  }
}

/// The next moment at which something happens by itself, no later than `until`.
static int64_t next_moment(int64_t until) {
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
  side *microphone = &world.sides[AD_MICROPHONE], *speaker = &world.sides[AD_SPEAKER];
  if (microphone->state == SND_PCM_STATE_RUNNING &&
      avail_of(microphone) >= (long)microphone->buffer)
    freeze(microphone, SND_PCM_STATE_XRUN);
  if (speaker->state == SND_PCM_STATE_RUNNING &&
      position(speaker) >= (double)speaker->application) {
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

static void pass_to(int64_t until) {
  side *speaker = &world.sides[AD_SPEAKER];
  do {
    int64_t next = next_moment(until);
    long before = (long)position(speaker);
    world.now_ns = next;
    if (speaker->state == SND_PCM_STATE_RUNNING)
      play(speaker, before);
    settle();
  } while (world.now_ns < until);
}

/// Every call takes its time.
static void enter(void) {
  world.result->calls++;
  pass_to(world.now_ns + CALL_NS);
}

static int call_state(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
  if (world.setting->ignores_the_speaker && !captures(s))
    return SND_PCM_STATE_RUNNING;
  return s->state_lies ? SND_PCM_STATE_RUNNING : s->state;
}

static int call_prepare(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
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
  fire_prepared(captures(s) ? AD_MICROPHONE : AD_SPEAKER);
  return 0;
}

static int call_start(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  if (s->bad_starts > 0) {
    s->bad_starts--;
    return -EIO;
  }
  if (s->state != SND_PCM_STATE_PREPARED)
    return s->state == SND_PCM_STATE_SUSPENDED ? -ESTRPIPE : -EBADFD;
  if (!captures(s) && s->application == 0)
    return -EPIPE;
  s->state = SND_PCM_STATE_RUNNING;
  s->since_ns = world.now_ns > s->stalled_until_ns ? world.now_ns : s->stalled_until_ns;
  return 0;
}

static int call_drop(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  freeze(s, SND_PCM_STATE_SETUP);
  return 0;
}

static int call_resume(snd_pcm_t *pcm) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
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
static int refusal(side *s) {
  if (s->bad_states > 0) {
    s->bad_states--;
    return -EBADFD;
  }
  switch (s->state) {
  case SND_PCM_STATE_RUNNING:
    return 0;
  case SND_PCM_STATE_PREPARED:
    return captures(s) ? -EAGAIN : 0;
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
  side *s = side_of(pcm);
  int refused = refusal(s);
  if (refused == -EAGAIN)
    return 0;
  return refused ? refused : avail_of(s);
}

static int call_report(snd_pcm_t *pcm, ad_pcm_report *report) VD_NONBLOCKING {
  enter();
  side *s = side_of(pcm);
  if (s->is_gone)
    return -ENODEV;
  report->avail = avail_of(s);
  report->delay =
      captures(s) ? avail_of(s)
                  : (long)s->application - (long)position(s) + (long)world.setting->codec_frames;
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
  side *s = side_of(pcm);
  int refused = refusal(s);
  if (refused)
    return refused;
  long there = avail_of(s);
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
  side *s = side_of(pcm);
  int refused = refusal(s);
  if (refused)
    return refused;
  long room = avail_of(s);
  if (room <= 0)
    return -EAGAIN;
  if ((long)count > room)
    count = (unsigned long)room;
  const float *in = frames;
  for (unsigned long i = 0; i < count; i++)
    world.ring[(s->application + i) % RING] = in[i];
  s->application += count;
  return (long)count;
}

static int64_t ready_at(const side *s) {
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
    side *s = side_of(pcm);
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
      pass_to(end);
    return 2;
  }
  // A fault changes what is ready; the caller looks again, as after a signal.
  int64_t next = next_moment(until);
  if (until > world.now_ns)
    pass_to(next);
  return next < until ? 1 : answer;
}

static int64_t call_now_ns(void) VD_NONBLOCKING {
  enter();
  return world.now_ns;
}

static void call_close(snd_pcm_t *pcm) {
  (void)pcm;
}

static const ad_alsa_calls calls = {.state = call_state,
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

/// The time at which the first sample of a block was captured, against its index.
static void hold_timeline(const float *microphone, const vc_timing *timing) {
  if (microphone[0] == 0)
    return;
  double captured = (double)lrintf(microphone[0] * NUMBER_SCALE) - 1;
  double offset = captured - (double)timing->capture_frames;
  if (!world.has_offset)
    world.first_capture_offset = offset;
  world.has_offset = true;
  double error = fabs(offset - world.first_capture_offset) / 48;
  if (error > world.result->worst_timeline_ms)
    world.result->worst_timeline_ms = error;
}

static void watch_flight(const vc_timing *timing) {
  scripted_result *result = world.result;
  result->last_in_flight = timing->play_delay_frames + (double)timing->capture_delay_frames;
  if (world.now_ns > world.started_ns + world.setting->stop_ns - 1000000000) {
    world.flight_sum += result->last_in_flight;
    world.flight_count++;
    result->mean_in_flight = world.flight_sum / (double)world.flight_count;
  }
  if (world.now_ns < world.last_fault_ns + 500000000)
    return;
  if (result->last_in_flight < result->least_in_flight)
    result->least_in_flight = result->last_in_flight;
  if (result->last_in_flight > result->most_in_flight)
    result->most_in_flight = result->last_in_flight;
}

static int step(void *context, const float *microphone, const float *reference, float *speaker,
                size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING {
  (void)context, (void)reference;
  scripted_result *result = world.result;
  double gap = (double)(world.now_ns - world.last_block_ns) * 1e-6;
  if (result->captured_blocks > 0 && gap > result->longest_gap_ms)
    result->longest_gap_ms = gap;
  world.last_block_ns = world.now_ns;
  result->captured_blocks++;
  hold_timeline(microphone, timing);
  watch_flight(timing);
  uint64_t unplayed = timing->unplayed_frames;
  for (uint64_t i = 0; i < unplayed && i < result->written_frames; i++)
    if (result->written_frames - 1 - i < SCRIPTED_FRAMES_MAX)
      world.fate[result->written_frames - 1 - i] |= 2;
  result->told_unplayed += unplayed;
  int64_t passed = world.now_ns - world.started_ns;
  bool speaks = world.setting->speaks &&
                !(world.setting->silent_after_ns && passed > world.setting->silent_after_ns);
  *speaker_frames = VC_BLOCK_FRAMES;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    uint64_t number = result->written_frames + i;
    speaker[i] = speaks && number < SCRIPTED_FRAMES_MAX ? (float)(number + 1) / NUMBER_SCALE : 0;
    if (number < SCRIPTED_FRAMES_MAX)
      world.said[number] =
          (float)((double)timing->now_ns * 1e-6 + (timing->play_delay_frames + (double)i) / 48);
  }
  result->written_frames += VC_BLOCK_FRAMES;
  return 0;
}

static void tell(void *context, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING {
  (void)context, (void)timestamp;
  if (kind < 16)
    world.result->events[kind]++;
}

void scripted_default(scripted_setting *setting) {
  memset(setting, 0, sizeof *setting);
  setting->period = 480;
  setting->buffer = 3840;
  setting->stop_ns = 3000000000;
  setting->speaks = true;
}

void scripted_add(scripted_setting *setting, scripted_fault fault) {
  if (setting->fault_count == SCRIPTED_FAULTS_MAX)
    return;
  // Kept in order of time, as the device looks for the next.
  size_t at = setting->fault_count++;
  for (; at > 0 && setting->faults[at - 1].at_ns > fault.at_ns; at--)
    setting->faults[at] = setting->faults[at - 1];
  setting->faults[at] = fault;
}

static void judge(void) {
  scripted_result *result = world.result;
  uint64_t known =
      result->written_frames < SCRIPTED_FRAMES_MAX ? result->written_frames : SCRIPTED_FRAMES_MAX;
  // What is in the speaker at the end is neither.
  uint64_t last = 0;
  for (uint64_t i = 0; i < known; i++)
    if (world.fate[i] & 1)
      last = i;
  for (uint64_t i = 0; world.setting->speaks && i < last; i++)
    result->wrongly_told += world.fate[i] != 1 && world.fate[i] != 2;
}

scripted_result scripted_run(const scripted_setting *setting, ad_pair_loop *loop) {
  static scripted_setting faults;
  scripted_result result = {.least_in_flight = 1e9};
  uint8_t *fate = world.fate ? world.fate : calloc(SCRIPTED_FRAMES_MAX, 1);
  float *said = world.said ? world.said : calloc(SCRIPTED_FRAMES_MAX, sizeof *said);
  memset(&world, 0, sizeof world);
  memset(fate, 0, SCRIPTED_FRAMES_MAX);
  world.fate = fate;
  world.said = said;
  faults = *setting;
  world.setting = setting;
  world.faults = &faults;
  world.loop = loop;
  world.result = &result;
  world.now_ns = world.started_ns = world.window_ns = 1000000000;
  *loop = (ad_pair_loop){.calls = &calls, .step = step, .tell = tell, .wake = -1, .stop = -1};
  loop->prefill_frames = setting->prefill_frames ? setting->prefill_frames : 1440;
  loop->goes_on_alone = setting->goes_on_alone;
  ad_pcm **pcms[] = {&loop->pair.capture, &loop->pair.playback};
  for (int i = 0; i < 2; i++) {
    uint32_t rate = setting->rate_hz ? setting->rate_hz : 48000;
    side *s = &world.sides[i];
    s->state = SND_PCM_STATE_SETUP;
    s->rate = rate * (i == AD_SPEAKER ? 1 + setting->speaker_ppm * 1e-6 : 1);
    s->period = setting->period;
    s->buffer = setting->buffer;
    ad_pcm_shape shape = {.handle = handles[i],
                          .calls = &calls,
                          .captures = i == AD_MICROPHONE,
                          .format = AD_FLOAT,
                          .rate_hz = rate,
                          .channels = 1,
                          .period = setting->period,
                          .buffer = setting->buffer,
                          .mask = 1};
    if (ad_pcm_create(pcms[i], &shape) != 0)
      abort();
  }
  ad_pair_loop_run(loop);
  result.ended_ms = (double)(world.now_ns - world.started_ns - setting->stop_ns) * 1e-6;
  result.is_lost = loop->lost_reason[0] != 0;
  result.epoch = loop->epoch;
  judge();
  ad_pair_close(&loop->pair);
  return result;
}
