#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio_simulated.h"
#include "checks.h"
#include "voice_asrc.h"
#include "voice_port.h"

// Two clocks in one device, in virtual time. The simulated room knows when each sample is heard;
// what the core says is held against it.

/// Promised of the playout clock: 2 ms.
static const double CLOCK_FRAMES = 96;
/// Promised of the latency: 15 ms.
static const double LATENCY_FRAMES = 720;
/// An event without notice is noticed within so many blocks.
enum { NOTICE_BLOCKS = 8, SECOND = 100, MINUTE = 60 * SECOND };

typedef struct {
  vc_port *port;
  ad_simulated *device;
  vc_progress heard;     ///< the last that was told
  uint64_t heard_frames; ///< told of all generations
  uint64_t sounding;     ///< samples at the speaker that were not silent
  uint32_t sequence;
} stand;

static stand begin(const ad_simulated_config *room, int follows_drift) {
  stand made = {0};
  vc_config config = vc_config_default();
  config.listens = 0;
  config.follows_drift = follows_drift != 0;
  CHECK(vc_port_create(&made.port, &config) == 0);
  CHECK(ad_simulated_create(&made.device, room, made.port) == 0);
  return made;
}

static void end(stand *made) {
  ad_simulated_destroy(made->device);
  vc_port_destroy(made->port);
}

static void step(stand *made) {
  float microphone[VC_BLOCK_FRAMES];
  float speaker[VC_BLOCK_FRAMES];
  (void)ad_simulated_step(made->device, NULL, microphone, speaker);
  for (int i = 0; i < VC_BLOCK_FRAMES; i++)
    made->sounding += fabsf(speaker[i]) > 0.1f;
  vc_event events[8];
  size_t count = 0;
  while ((count = vc_port_take_events(made->port, events, 8)) > 0) {
    for (size_t i = 0; i < count; i++) {
      if (events[i].kind != VC_EVENT_PLAYED)
        continue;
      if (events[i].progress.generation != made->heard.generation)
        made->heard_frames += made->heard.played_frames;
      made->heard = events[i].progress;
    }
  }
}

/// By how many frames the core errs about when the next sample written is heard.
static double clock_error(const stand *made) {
  vc_playout playout;
  vc_port_playout(made->port, &playout);
  ad_simulated_truth truth;
  ad_simulated_know(made->device, &truth);
  // The converter still holds half its filter ahead of that sample.
  const double said = (double)playout.now_frame + playout.delay_frames - VD_ASRC_TAPS / 2.0;
  return fabs(said - truth.next_heard_frame);
}

typedef struct {
  double ppm_rms, clock_max, least_in_flight, most_in_flight;
  uint64_t underruns;
  int locked;
} lock_result;

/// A minute to lock in, then `blocks` that count.
static lock_result lock(const ad_simulated_config *room, int follows_drift, int blocks) {
  stand made = begin(room, follows_drift);
  lock_result result = {.least_in_flight = 1e9};
  double squares = 0;
  for (int block = 0; block < MINUTE + blocks; block++) {
    step(&made);
    if (block < MINUTE)
      continue;
    vc_playout playout;
    vc_port_playout(made.port, &playout);
    ad_simulated_truth truth;
    ad_simulated_know(made.device, &truth);
    const double error = playout.drift_ppm - room->playback_ppm;
    squares += error * error;
    result.clock_max = fmax(result.clock_max, clock_error(&made));
    result.least_in_flight = fmin(result.least_in_flight, truth.in_flight_frames);
    result.most_in_flight = fmax(result.most_in_flight, truth.in_flight_frames);
    result.underruns = truth.underruns;
    result.locked = playout.drift_state == VC_DRIFT_LOCKED;
  }
  result.ppm_rms = sqrt(squares / blocks);
  end(&made);
  (void)printf("    %+.0f ppm, seed %u: %.3f ppm rms, clock within %.2f ms, in flight %.0f..%.0f\n",
               room->playback_ppm, room->seed, result.ppm_rms, result.clock_max / 48,
               result.least_in_flight, result.most_in_flight);
  return result;
}

CHECK_CASE(clocks_apart_are_locked_within_a_minute_and_held) {
  static const double ppms[] = {500, -500, 250, -37, 0};
  for (size_t i = 0; i < sizeof ppms / sizeof *ppms; i++) {
    const ad_simulated_config room = {.playback_frames = 1440,
                                      .playback_ppm = ppms[i],
                                      .wake_jitter_frames = 240,
                                      .report_jitter_frames = 12,
                                      .seed = checks_random()};
    const lock_result result = lock(&room, 1, 30 * SECOND);
    CHECK(result.ppm_rms <= 1 && result.locked);
    CHECK(result.clock_max <= CLOCK_FRAMES);
    CHECK(result.underruns == 0);
    CHECK(result.least_in_flight >= 1440 - LATENCY_FRAMES);
    CHECK(result.most_in_flight <= 1440 + LATENCY_FRAMES);
  }
}

CHECK_CASE(clocks_apart_run_the_speaker_dry_when_drift_is_not_followed) {
  const ad_simulated_config room = {.playback_frames = 1440, .playback_ppm = 500, .seed = 1};
  CHECK(lock(&room, 0, 30 * SECOND).underruns > 0);
}

CHECK_CASE(reports_of_whole_periods_and_wild_jitter_are_borne) {
  static const ad_simulated_config rooms[] = {
      // A driver that jitters by 10 ms each way, on one clock.
      {.playback_frames = 4800, .report_jitter_frames = 480, .seed = 3},
      // Positions that move by periods, read late.
      {.playback_frames = 4800,
       .report_quantum_frames = 480,
       .wake_jitter_frames = 960,
       .playback_ppm = 250,
       .seed = 4},
      {.playback_frames = 4800, .report_quantum_frames = 1024, .playback_ppm = -100, .seed = 5},
  };
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    const lock_result result = lock(&rooms[i], 1, 60 * SECOND);
    CHECK(result.ppm_rms <= 20);
    CHECK(result.underruns == 0);
    CHECK(result.most_in_flight - result.least_in_flight <= LATENCY_FRAMES);
    // A position told only once in a period cannot be known better than that.
    CHECK(result.clock_max <= CLOCK_FRAMES + rooms[i].report_quantum_frames);
  }
}

/// What may befall a device, one after the other.
static void befall(stand *made, int what) {
  switch (what) {
  case 0:
    ad_simulated_pause(made->device, AD_SIMULATED_PLAYBACK, 4800);
    break;
  case 1:
    ad_simulated_pause(made->device, AD_SIMULATED_CAPTURE, 2400);
    break;
  case 2:
    ad_simulated_xrun(made->device, AD_SIMULATED_PLAYBACK, 0);
    break;
  case 3:
    ad_simulated_xrun(made->device, AD_SIMULATED_CAPTURE, 1000);
    break;
  case 4:
    ad_simulated_lose_frames(made->device, 3333);
    break;
  default:
    for (int i = 0; i < 20; i++) {
      ad_simulated_xrun(made->device, 1 + i % 2, 480);
      step(made);
    }
    break;
  }
}

static void hold_through_everything(const ad_simulated_config *room) {
  stand made = begin(room, 1);
  for (int block = 0; block < 20 * SECOND; block++)
    step(&made);
  double worst = 0;
  int late = 0;
  for (int what = 0; what < 6; what++) {
    befall(&made, what);
    // Up to 10 blocks the pause itself lasts: until its end nobody can know when it ends.
    const int grace = what == 0 ? 10 + NOTICE_BLOCKS : NOTICE_BLOCKS;
    for (int block = 0; block < 2 * SECOND; block++) {
      step(&made);
      const double error = clock_error(&made);
      if (error <= CLOCK_FRAMES)
        continue;
      late = late > block ? late : block;
      if (block >= grace)
        worst = fmax(worst, error);
    }
  }
  (void)printf("    %u in the device, %u hidden, %+.0f ppm: true again after %d blocks at most\n",
               room->playback_frames, room->hidden_latency_frames, room->playback_ppm, late + 1);
  CHECK(worst == 0);
  end(&made);
}

CHECK_CASE(playout_clock_holds_through_whatever_befalls_the_device) {
  static const uint32_t in_device[] = {960, 4800, 33600};
  static const uint32_t hidden[] = {0, 2400, 14400};
  for (size_t i = 0; i < 3; i++) {
    for (size_t h = 0; h < 3; h++) {
      const ad_simulated_config room = {.playback_frames = in_device[i],
                                        .hidden_latency_frames = hidden[h],
                                        .reported_latency_frames = hidden[h],
                                        .wake_jitter_frames = 100,
                                        .playback_ppm = h == 0 ? 150 : -150,
                                        .seed = checks_random()};
      hold_through_everything(&room);
    }
  }
}

CHECK_CASE(playout_clock_that_is_not_told_of_hidden_latency_is_wrong_by_it) {
  const ad_simulated_config room = {.playback_frames = 1440, .hidden_latency_frames = 2400};
  stand made = begin(&room, 1);
  for (int block = 0; block < SECOND; block++)
    step(&made);
  CHECK(fabs(clock_error(&made) - 2400) <= CLOCK_FRAMES);
  end(&made);
}

/// A generation of `count` packets of 10 ms that are loud in every sample, and its end.
static void speak(stand *made, uint32_t generation, int count) {
  for (int i = 0; i <= count; i++) {
    vd_packet packet = {.generation = generation,
                        .sequence = made->sequence++,
                        .kind = i < count ? VD_PACKET_PCM16 : VD_PACKET_END,
                        .bytes = i < count ? 2 * VC_BLOCK_FRAMES : 0};
    for (int b = 1; b < packet.bytes; b += 2)
      packet.payload[b] = 0x40;
    CHECK(vc_port_send(made->port, &packet) == 1);
  }
}

CHECK_CASE(progress_counts_only_what_was_heard) {
  for (int interruption = 0; interruption < 4; interruption++) {
    const ad_simulated_config room = {
        .playback_frames = 9600, .playback_ppm = 100, .seed = checks_random()};
    stand made = begin(&room, 1);
    for (int block = 0; block < 10 * SECOND; block++)
      step(&made);
    speak(&made, 1, 200);
    for (int block = 0; block < 300; block++) {
      if (block == 100 && interruption == 1)
        ad_simulated_xrun(made.device, AD_SIMULATED_PLAYBACK, 0);
      // What sounds in the time that is lost is heard in the room, and not by this check.
      if (block == 100 && interruption == 2) {
        ad_simulated_lose_frames(made.device, 480);
        made.sounding += 480;
      }
      // The end of the speech is in the device, and lost there.
      if (block == 205 && interruption == 3)
        ad_simulated_xrun(made.device, AD_SIMULATED_PLAYBACK, 0);
      step(&made);
    }
    const double told = (double)(made.heard_frames + made.heard.played_frames);
    (void)printf("    interruption %d: %.0f frames told, %llu sounded\n", interruption, told,
                 (unsigned long long)made.sounding);
    CHECK(fabs(told - (double)made.sounding) <= CLOCK_FRAMES);
    CHECK((made.sounding < 90000) == (interruption != 0));
    CHECK(made.heard.generation == 1 && made.heard.finished && !made.heard.flushed);
    end(&made);
  }
}

/// Largest second difference of a tone beside what the tone itself has: a click stands out.
static double roughness(const float *tone, size_t count, double angle) {
  double worst = 0;
  for (size_t i = 1; i + 1 < count; i++)
    worst = fmax(worst, fabs(tone[i + 1] - 2 * cos(angle) * tone[i] + tone[i - 1]));
  return worst;
}

enum { TONE_BLOCKS = 400 };

/// A tone of 1 kHz through the converter, whose ratio leaps with each block. Result: frames.
static size_t convert_tone(float *out, double ppm, double *ideal) {
  const double angle = 2 * 3.14159265358979 / 48;
  vd_asrc *asrc = malloc(sizeof *asrc);
  vd_asrc_init(asrc);
  size_t made = 0;
  *ideal = 0;
  for (int block = 0; block < TONE_BLOCKS; block++) {
    float in[VC_BLOCK_FRAMES];
    for (int i = 0; i < VC_BLOCK_FRAMES; i++)
      in[i] = (float)(0.5 * sin(angle * (block * VC_BLOCK_FRAMES + i)));
    const double ratio = 1 + ppm * 1e-6 * ((double)checks_random_below(2001) / 1000 - 1);
    made += vd_asrc_process(asrc, in, VC_BLOCK_FRAMES, ratio, out + made);
  }
  *ideal = TONE_BLOCKS * VC_BLOCK_FRAMES - vd_asrc_held_frames(asrc);
  free(asrc);
  return made;
}

CHECK_CASE(converter_changes_its_ratio_without_a_click) {
  const double angle = 2 * 3.14159265358979 / 48;
  float *out = malloc((TONE_BLOCKS + 2) * VC_BLOCK_FRAMES * sizeof *out);
  static const double ppms[] = {0, 500, 1300};
  for (size_t i = 0; i < 3; i++) {
    double ideal = 0;
    const size_t made = convert_tone(out, ppms[i], &ideal);
    const double rough = roughness(out + 64, made - 64, angle);
    (void)printf("    leaps up to %.0f ppm: %.1f dB\n", ppms[i], 20 * log10(rough + 1e-9));
    // A frame dropped from this tone is -17 dB; what the pitch itself moves by is -70 dB.
    CHECK(rough < 3e-4);
    CHECK(fabs((double)made - ideal) < 200);
  }
  // The measure itself: one frame left out.
  double ideal = 0;
  const size_t made = convert_tone(out, 0, &ideal);
  memmove(out + 9000, out + 9001, (made - 9001) * sizeof *out);
  CHECK(roughness(out + 64, made - 65, angle) > 0.01);
  free(out);
}

CHECK_CASE(converter_at_rest_copies_and_comes_back_to_rest) {
  vd_asrc *asrc = malloc(sizeof *asrc);
  vd_asrc_init(asrc);
  float in[VC_BLOCK_FRAMES];
  float before[VC_BLOCK_FRAMES] = {0};
  float out[VC_SPEAKER_FRAMES_MAX];
  size_t copied = 0;
  for (int block = 0; block < 4000; block++) {
    for (int i = 0; i < VC_BLOCK_FRAMES; i++)
      in[i] = (float)checks_random() / 4294967296.0f - 0.5f;
    const double ratio = block > 10 && block < 100 ? 1.0003 : 1;
    const size_t made = vd_asrc_process(asrc, in, VC_BLOCK_FRAMES, ratio, out);
    const int delay = VD_ASRC_TAPS / 2;
    const int is_copy = made == VC_BLOCK_FRAMES &&
                        memcmp(&out[delay], in, (VC_BLOCK_FRAMES - delay) * sizeof *in) == 0 &&
                        memcmp(out, &before[VC_BLOCK_FRAMES - delay], delay * sizeof *in) == 0;
    copied += (size_t)is_copy;
    CHECK(is_copy || block > 10);
    memcpy(before, in, sizeof in);
  }
  // 0.0003 * 480 * 89 frames leave it between two samples; at 2 ppm it is back within 6 s.
  CHECK(copied > 4000 - 89 - 600);
  free(asrc);
}
