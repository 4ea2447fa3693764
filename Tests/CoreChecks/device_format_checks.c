#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alsa_parameters.h"
#include "checks.h"
#include "pair_loop.h"
#include "simroom.h"

// The format matrix: rate x format x channels x access x period x buffer on the simulated room,
// whose clock moves only while the audio thread waits. What is played is heard by the microphone
// sample for sample, so the loop can be held bit for bit, and its delay against what was told.

typedef struct {
  unsigned rate_hz;
  const char *format;
  unsigned channels;
  const char *access;
  unsigned period_us, buffer_periods;
  double seconds;
} shape;

// RealtimeSanitizer would see the room's own lock: there this file has no room, as without a
// library.
#if defined(__has_feature)
#if __has_feature(realtime_sanitizer)
#define IS_REALTIME_CHECKED 1
#endif
#endif
#ifndef IS_REALTIME_CHECKED
#define IS_REALTIME_CHECKED 0
#endif

static struct {
  simroom *room;
  /// It is none, yet it stands for the time that passes: see above.
  int (*advance)(simroom *room, int64_t frames) VD_NONBLOCKING;
  int (*remove)(simroom *room);
} air;

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  CHECK(found != NULL);
  return found;
}

/// Result: whether there is a room; the script that runs the checks builds its library.
static int make_room(void) {
  const char *path = getenv("SIMROOM_LIBRARY");
  static void *library;
  if (path != NULL && library == NULL)
    library = dlopen(path, RTLD_NOW);
  if (library == NULL || IS_REALTIME_CHECKED)
    return 0;
  simroom *(*room)(const char *) = NULL;
  int (*use_manual_clock)(simroom *) = NULL;
  int (*configure)(simroom *, double, double, double, double, uint32_t, const char *) = NULL;
  void *symbols[] = {symbol(library, "simroom_room"), symbol(library, "simroom_use_manual_clock"),
                     symbol(library, "simroom_configure"), symbol(library, "simroom_advance"),
                     symbol(library, "simroom_remove")};
  memcpy(&room, &symbols[0], sizeof room);
  memcpy(&use_manual_clock, &symbols[1], sizeof use_manual_clock);
  memcpy(&configure, &symbols[2], sizeof configure);
  memcpy(&air.advance, &symbols[3], sizeof air.advance);
  memcpy(&air.remove, &symbols[4], sizeof air.remove);
  air.room = room("shaped");
  return air.room != NULL && use_manual_clock(air.room) == 0 &&
         configure(air.room, 0, 0, 0, -200, 1, NULL) == 0;
}

// The one run that is under way.
static struct {
  int64_t now_ns, end_ns, piece_frames;
  uint64_t written;
  uint64_t differing; ///< samples of the loop that are not those that were played
  uint64_t compared;
  double told_least, told_most; ///< delay as told, in frames
  double least, most;           ///< delay as heard, in frames
  double demodulated[2];        ///< of the window under way
  uint32_t window_frames;
  double power, windows;
  double reference_phase;
  int is_tone, skips_a_frame;
} run;

/// Tone for what is resampled: 400 Hz, 120 frames a turn.
enum { TURN_FRAMES = 120, WINDOW_FRAMES = 4800, SETTLED_FRAMES = 4800 };

static float played(uint64_t frame) {
  if (run.is_tone)
    return 0.25f * (float)sin(2 * M_PI * (double)(frame % TURN_FRAMES) / TURN_FRAMES);
  uint32_t word = (uint32_t)frame * 2654435769u;
  word = (word ^ word >> 15) * 2246822507u;
  return (float)((int32_t)(word >> 17) - 16384) / 32768.0f;
}

static int pass_time(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING;

static int64_t virtual_now(void) VD_NONBLOCKING {
  return run.now_ns;
}

static int pass_time(snd_pcm_t *pcm, int stop, int64_t timeout_ns) VD_NONBLOCKING {
  for (;;) {
    if (pcm && ad_alsa_library.wait(pcm, stop, 0) == 1)
      return 1;
    if (run.now_ns >= run.end_ns)
      return 2;
    if (timeout_ns <= 0)
      return 0;
    air.advance(air.room, run.piece_frames);
    run.now_ns += run.piece_frames * 1000000 / 48;
    timeout_ns -= run.piece_frames * 1000000 / 48;
  }
}

static void take_extremes(double *least, double *most, double value) {
  *least = value < *least ? value : *least;
  *most = value > *most ? value : *most;
}

/// The tone's phase is the delay, modulo a turn.
static void listen_to_tone(const float *microphone, uint64_t captured) {
  for (int i = 0; i < VC_BLOCK_FRAMES; i++) {
    const double angle = 2 * M_PI * (double)((captured + (uint64_t)i) % TURN_FRAMES) / TURN_FRAMES;
    run.demodulated[0] += (double)microphone[i] * sin(angle);
    run.demodulated[1] += (double)microphone[i] * cos(angle);
  }
  run.window_frames += VC_BLOCK_FRAMES;
  if (run.window_frames < WINDOW_FRAMES)
    return;
  const double phase = atan2(-run.demodulated[1], run.demodulated[0]);
  run.power = hypot(run.demodulated[0], run.demodulated[1]) * 2 / WINDOW_FRAMES;
  // The first windows hold the beginning.
  if (run.windows++ == 2)
    run.reference_phase = phase;
  if (run.windows > 2) {
    const double turned = remainder(phase - run.reference_phase, 2 * M_PI);
    const double turn =
        run.reference_phase < 0 ? run.reference_phase + 2 * M_PI : run.reference_phase;
    take_extremes(&run.least, &run.most, (turn + turned) / (2 * M_PI) * TURN_FRAMES);
  }
  run.demodulated[0] = run.demodulated[1] = 0;
  run.window_frames = 0;
}

static void listen_to_noise(const float *microphone, uint64_t captured, double told) {
  if (run.least > run.most && captured > SETTLED_FRAMES) {
    // Found once, near where it was told to be; held from then on.
    for (int64_t d = (int64_t)told - 400; d <= (int64_t)told + 400 && run.least > run.most; d++) {
      int same = 0;
      for (int i = 0; i < 64; i++)
        same += microphone[i] == played(captured + (uint64_t)i - (uint64_t)d);
      if (same == 64)
        run.least = run.most = (double)d;
    }
  }
  if (run.least > run.most)
    return;
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    run.differing += microphone[i] != played(captured + (uint64_t)i - (uint64_t)run.least);
  run.compared += VC_BLOCK_FRAMES;
}

static int step(void *context, const float *microphone, const float *reference, float *speaker,
                size_t *speaker_frames, const vc_timing *timing) VD_NONBLOCKING {
  (void)context, (void)reference;
  // A frame written now is heard so much later than the one of the same number is captured.
  const double told = VC_BLOCK_FRAMES + timing->capture_delay_frames +
                      (double)timing->play_delay_frames - (double)run.written +
                      (double)timing->capture_frames;
  if (timing->capture_frames > SETTLED_FRAMES)
    take_extremes(&run.told_least, &run.told_most, told);
  if (run.is_tone)
    listen_to_tone(microphone, timing->capture_frames);
  else
    listen_to_noise(microphone, timing->capture_frames, told);
  // The negative control: a device layer that loses one frame.
  const uint64_t lost = run.skips_a_frame && run.written > 24000;
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    speaker[i] = played(run.written + (uint64_t)i + lost);
  run.written += VC_BLOCK_FRAMES;
  *speaker_frames = VC_BLOCK_FRAMES;
  return 0;
}

static void tell(void *context, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING {
  (void)context, (void)kind, (void)timestamp;
}

/// Result: whether it could be opened.
static int run_shape(const shape *s, ad_pair_loop *loop) {
  if (!make_room())
    return 0;
  char name[AD_NAME_BYTES], why[AD_TEXT_BYTES];
  snprintf(name, sizeof name, "shaped:RATE=%u,FORMAT=%s,CHANNELS=%u,ACCESS=%s", s->rate_hz,
           s->format, s->channels, s->access);
  const ad_config config = {.period_us = s->period_us, .buffer_periods = s->buffer_periods};
  ad_alsa_calls calls = ad_alsa_library;
  calls.wait = pass_time;
  calls.now_ns = virtual_now;
  *loop = (ad_pair_loop){.calls = &calls, .step = step, .tell = tell, .wake = -1, .stop = -1};
  loop->prefill_frames = 1440;
  const int opened = ad_pcm_open(&loop->pair.capture, name, true, &config, false, why, sizeof why);
  const int also = ad_pcm_open(&loop->pair.playback, name, false, &config, false, why, sizeof why);
  if (opened < 0 || also < 0)
    printf("    %s: %d %d %s\n", name, opened, also, why);
  CHECK(opened == 0 && also == 0);
  if (opened == 0 && also == 0) {
    const int skips = run.skips_a_frame;
    memset(&run, 0, sizeof run);
    run.skips_a_frame = skips;
    run.now_ns = 1000000000;
    run.end_ns = run.now_ns + (int64_t)(s->seconds * 1e9);
    run.is_tone = s->rate_hz != 48000;
    // Between its own frames the room's microphone lags by two, so a period ends between two
    // pieces.
    run.piece_frames = run.is_tone ? 120 : s->period_us * 48 / 1000;
    run.told_least = run.least = 1e9;
    run.told_most = run.most = -1e9;
    ad_pair_loop_run(loop);
  }
  const ad_pcm_shape *is = loop->pair.playback ? ad_pcm_shape_of(loop->pair.playback) : NULL;
  if (is)
    CHECK(is->rate_hz == s->rate_hz && is->channels == s->channels &&
          is->is_mapped == (strcmp(s->access, "mmap") == 0));
  ad_pair_close(&loop->pair);
  CHECK(air.remove(air.room) == 0);
  return is != NULL;
}

static double worst_wander, worst_told, worst_told_wander;
static unsigned long bits_compared, shapes_run;

static void hold_shape(const shape *s) {
  ad_pair_loop loop;
  if (!run_shape(s, &loop))
    return;
  shapes_run++;
  bits_compared += run.compared;
  const double wander = run.most - run.least;
  double off = run.least - run.told_least;
  if (run.is_tone)
    off = remainder(off, TURN_FRAMES);
  const int is_good = loop.counters.xruns == 0 && loop.counters.refused_frames == 0 &&
                      run.differing == 0 && run.most >= run.least && wander <= 1 &&
                      fabs(off) <= 12 && run.told_most - run.told_least <= 12 &&
                      (!run.is_tone || fabs(run.power / 0.25 - 1) < 0.05);
  if (!is_good)
    printf("    %u %s %u ch %s %u us x %u: xruns %lu refused %lu differing %lu of %lu delay "
           "%.2f..%.2f "
           "told %.2f..%.2f power %.3f\n",
           s->rate_hz, s->format, s->channels, s->access, s->period_us, s->buffer_periods,
           (unsigned long)loop.counters.xruns, (unsigned long)loop.counters.refused_frames,
           (unsigned long)run.differing, (unsigned long)run.compared, run.least, run.most,
           run.told_least, run.told_most, run.power);
  CHECK(is_good);
  worst_wander = wander > worst_wander ? wander : worst_wander;
  worst_told = fabs(off) > worst_told ? fabs(off) : worst_told;
  worst_told_wander = fmax(worst_told_wander, run.told_most - run.told_least);
}

static void begin_figures(void) {
  worst_wander = worst_told = worst_told_wander = 0;
  bits_compared = shapes_run = 0;
}

static void print_figures(const char *what) {
  CHECK(shapes_run > 0 || IS_REALTIME_CHECKED || getenv("SIMROOM_LIBRARY") == NULL);
  printf("    {\"matrix\":\"%s\",\"shapes\":%lu,\"samples_equal\":%lu,\"delay_wander_frames\":%.3f,"
         "\"told_off_frames\":%.2f,\"told_wander_frames\":%.2f}\n",
         what, shapes_run, bits_compared, worst_wander, worst_told, worst_told_wander);
}

static const char *const formats[] = {"S16_LE", "S24_3LE", "S24_LE", "S32_LE", "FLOAT_LE"};
static const unsigned channels[] = {1, 2, 3, 8, 16};
static const char *const accesses[] = {"rw", "mmap"};
static const unsigned periods_us[] = {2500, 5000, 10000, 20000};

static unsigned periods_for(unsigned period_us, int is_short) {
  return is_short ? (period_us < 10000 ? 30000 / period_us : 3) : (period_us < 10000 ? 32 : 8);
}

/// Where CHECKS_SECONDS is set the whole matrix runs; else every other shape of it, for it runs
/// under each sanitizer and in emulation too.
static int is_left_out(unsigned turn) {
  return getenv("CHECKS_SECONDS") == NULL && turn % 2 == 1;
}

CHECK_CASE(every_shape_at_48_khz_loops_bit_for_bit) {
  begin_figures();
  for (int f = 0; f < 5; f++)
    for (int c = 0; c < 5; c++)
      for (int a = 0; a < 2; a++)
        for (int p = 0; p < 4; p++)
          for (int b = 0; b < 2; b++)
            if (!is_left_out((unsigned)(f + c + a + p + b)))
              hold_shape(&(shape){48000, formats[f], channels[c], accesses[a], periods_us[p],
                                  periods_for(periods_us[p], b), 0.3});
  print_figures("48 kHz, all");
}

CHECK_CASE(every_other_rate_keeps_its_delay) {
  static const unsigned rates[] = {8000,  11025, 16000, 22050,  24000, 32000,
                                   44100, 88200, 96000, 176400, 192000};
  begin_figures();
  unsigned turn = 0;
  for (int r = 0; r < 11; r++)
    for (int f = 0; f < 5; f++)
      for (int p = 0; p < 4; p++, turn++)
        if (!is_left_out(turn + (unsigned)f))
          hold_shape(&(shape){rates[r], formats[f], channels[turn % 5], accesses[turn / 5 % 2],
                              periods_us[p], periods_for(periods_us[p], turn / 3 % 2), 0.6});
  print_figures("other rates");
}

CHECK_CASE(a_lost_frame_is_seen) {
  // The negative control of the two above.
  ad_pair_loop loop;
  run.skips_a_frame = 1;
  const int run_it = run_shape(&(shape){48000, "S16_LE", 1, "rw", 10000, 8, 2}, &loop);
  CHECK(!run_it || run.differing > 1000);
  run.skips_a_frame = 0;
}

CHECK_CASE(a_long_run_keeps_its_delay) {
  // Ten minutes where CHECKS_SECONDS=600 asks for them: that takes a minute of real time.
  const char *asked = getenv("CHECKS_SECONDS");
  const double seconds = asked != NULL ? strtod(asked, NULL) : 10;
  char what[32];
  begin_figures();
  hold_shape(&(shape){48000, "S16_LE", 1, "rw", 10000, 8, seconds});
  hold_shape(&(shape){44100, "S24_3LE", 2, "mmap", 20000, 8, seconds});
  snprintf(what, sizeof what, "%.0f s each", seconds);
  print_figures(what);
}

CHECK_CASE(a_chosen_microphone_is_heard_alone) {
  if (!make_room())
    return;
  static const struct { unsigned sounding, chosen; } cases[] = {{3, 3}, {3, 2}, {3, 0}};
  for (int i = 0; i < 3; i++) {
    char name[AD_NAME_BYTES], why[AD_TEXT_BYTES];
    snprintf(name, sizeof name, "shaped:CHANNELS=4,MICROPHONE=%u", cases[i].sounding);
    const ad_config config = {.microphone_channel = cases[i].chosen};
    ad_pcm *pcm = NULL;
    CHECK(ad_pcm_open(&pcm, name, true, &config, false, why, sizeof why) == 0);
    if (pcm == NULL)
      continue;
    const uint32_t mask = ad_pcm_shape_of(pcm)->mask;
    CHECK(mask == (cases[i].chosen ? 1u << (cases[i].chosen - 1) : 15u));
    ad_pcm_close(pcm);
  }
  ad_pcm *pcm = NULL;
  char why[AD_TEXT_BYTES] = "";
  const ad_config beyond = {.microphone_channel = 5};
  CHECK(ad_pcm_open(&pcm, "shaped:CHANNELS=4", true, &beyond, false, why, sizeof why) < 0);
  CHECK(strstr(why, "fewer channels") != NULL);
  CHECK(air.remove(air.room) == 0);
}
