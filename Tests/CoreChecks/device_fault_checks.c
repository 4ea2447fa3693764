#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "scripted_device.h"

// The fault matrix: each fault, on each side, before the start, in the first period, in the steady
// state, during a recovery, and twice in a row. The figures are of the worst of each.

enum { MOMENTS = 5 };

static const char *const kinds[FAULT_KINDS] = {
    [FAULT_NONE] = "none",
    [FAULT_XRUN] = "xrun",
    [FAULT_SUSPEND] = "suspend",
    [FAULT_SUSPEND_AGAIN] = "suspend, resume again",
    [FAULT_SUSPEND_NEVER] = "suspend, resume never",
    [FAULT_SUSPEND_LIES] = "suspend, resume lies",
    [FAULT_STALL] = "stall",
    [FAULT_BAD_STATE] = "bad state",
    [FAULT_INPUT_OUTPUT] = "start fails",
    [FAULT_PREPARE_FAILS] = "prepare fails",
    [FAULT_STATE_LIES] = "state lies",
    [FAULT_POLL_ALWAYS] = "poll always ready, clock stopped",
    [FAULT_POLL_NEVER] = "poll never ready",
    [FAULT_NONSENSE_REPORT] = "nonsense reports",
    [FAULT_ZEROS] = "exact zeros",
    [FAULT_GONE] = "unplugged",
    [FAULT_BACK] = "plugged in again",
};

static int64_t ms(double milliseconds) {
  return (int64_t)(milliseconds * 1e6);
}

static void add_at(scripted_setting *setting, fault_kind kind, int side, double at_ms,
                   double length_ms) {
  scripted_add(
      setting,
      (scripted_fault){.kind = kind, .side = side, .at_ns = ms(at_ms), .length_ns = ms(length_ms)});
}

static void add(scripted_setting *setting, fault_kind kind, int side, int moment, double length) {
  static const double steady = 1003.3;
  switch (moment) {
  case 0:
    add_at(setting, kind, side, 0, length);
    break;
  case 1:
    add_at(setting, kind, side, 3, length);
    break;
  case 2:
    add_at(setting, kind, side, steady, length);
    break;
  case 3:
    add_at(setting, FAULT_XRUN, side, steady, 0);
    scripted_add(setting, (scripted_fault){.kind = kind,
                                           .side = side,
                                           .moment = FAULT_AT_PREPARE,
                                           .after = 2,
                                           .length_ns = ms(length)});
    break;
  default:
    add_at(setting, kind, side, steady, length);
    add_at(setting, kind, side, steady + length + 3, length);
    break;
  }
}

static void show(const char *what, const scripted_result *r, const ad_pair_loop *loop) {
  if (getenv("CHECKS_VERBOSE"))
    printf("    %s: blocks %lu gap %.1f unplayed %lu wrong %lu heard %.2f timeline %.2f flight "
           "%.0f..%.0f waits %lu ended %.1f lost '%s' xruns %lu\n",
           what, (unsigned long)r->captured_blocks, r->longest_gap_ms,
           (unsigned long)r->told_unplayed, (unsigned long)r->wrongly_told, r->worst_heard_ms,
           r->worst_timeline_ms, r->least_in_flight, r->most_in_flight,
           (unsigned long)r->most_waits_per_100, r->ended_ms, loop->lost_reason,
           (unsigned long)loop->counters.xruns);
}

CHECK_CASE(a_device_without_faults_is_left_alone) {
  static scripted_setting setting;
  scripted_default(&setting);
  ad_pair_loop loop;
  scripted_result r = scripted_run(&setting, &loop);
  show("none", &r, &loop);
  CHECK(r.captured_blocks == 299 && r.wrongly_told == 0 && r.told_unplayed == 0);
  CHECK(r.worst_heard_ms < 0.1 && r.worst_timeline_ms < 0.1);
  CHECK(r.least_in_flight >= 955 && r.most_in_flight <= 965);
  CHECK(loop.counters.xruns == 0 && r.epoch == 2 && r.most_waits_per_100 <= 22);
}

/// What the worst run of a row may show. Times in ms.
typedef struct {
  double microphone_gap; ///< between two blocks, when the microphone's side fails
  double heard;          ///< error of the time at which a frame is heard
  double timeline;       ///< error of the capture index
  double flight;         ///< frames in flight off the target, half a second later
} bounds;

static bounds bounds_of(fault_kind kind, double length) {
  bounds b = {.microphone_gap = 30, .heard = 2, .timeline = 2, .flight = 480};
  switch (kind) {
  case FAULT_SUSPEND_AGAIN:
  case FAULT_SUSPEND_NEVER:
    b.microphone_gap = 300; // Five attempts, 50 ms apart.
    break;
  case FAULT_BAD_STATE:
  case FAULT_INPUT_OUTPUT:
    b.flight = 960; // Each found the speaker dry a moment before.
    b.microphone_gap = 90;
    break;
  case FAULT_PREPARE_FAILS:
    b.microphone_gap = 360; // Twice in a row are ten: four after 20 ms each, six after 100.
    break;
  case FAULT_STALL:
    b.microphone_gap = length + 30;
    b.heard = length + 2; // Of what was written already.
    b.timeline = 5;
    b.flight = 2400; // The rest of the buffer; it is brought back in the next silence.
    break;
  default:
    break;
  }
  return b;
}

static void worst_of(double *worst, double value) {
  *worst = value > *worst ? value : *worst;
}

/// All moments of one fault on one side. The figures are the worst of them.
static void run_row(fault_kind kind, int side, double length) {
  static scripted_setting setting;
  double gap = 0, heard = 0, timeline = 0, delivered = 100, waits = 0, wrong = 0, flight = 0;
  double lost = 0;
  for (int moment = 0; moment < MOMENTS; moment++) {
    scripted_default(&setting);
    add(&setting, kind, side, moment, length);
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    char what[96];
    snprintf(what, sizeof what, "%s %d %d", kinds[kind], side, moment);
    show(what, &r, &loop);
    // Those in a row, or on top of another, take as long again.
    worst_of(&gap, r.longest_gap_ms / (moment >= 3 ? 2 : 1));
    worst_of(&heard, r.worst_heard_ms / (moment >= 3 ? 2 : 1));
    worst_of(&timeline, r.worst_timeline_ms / (moment >= 3 ? 2 : 1));
    worst_of(&waits, (double)r.most_waits_per_100);
    worst_of(&wrong, (double)r.wrongly_told);
    const double target = ad_level_target(&loop.level);
    worst_of(&flight,
             r.least_in_flight > target ? r.most_in_flight - target : target - r.least_in_flight);
    const double share = (double)r.captured_blocks * 100 / 299;
    delivered = share < delivered ? share : delivered;
    lost += r.is_lost;
    CHECK(!r.is_runaway && r.ended_ms < 1000);
  }
  printf("    {\"fault\":\"%s\",\"side\":\"%s\",\"length_ms\":%.0f,\"gap_ms\":%.1f,"
         "\"delivered_pct\":%.1f,\"heard_error_ms\":%.2f,\"timeline_error_ms\":%.2f,"
         "\"wrong_frames\":%.0f,\"flight_off_frames\":%.0f,\"waits_per_100_ms\":%.0f}\n",
         kinds[kind], side == AD_SPEAKER ? "speaker" : "microphone", length, gap, delivered, heard,
         timeline, wrong, flight, waits);
  const bounds b = bounds_of(kind, length);
  CHECK(lost == 0);
  CHECK(gap <= (side == AD_SPEAKER ? 20.1 : b.microphone_gap));
  CHECK(side == AD_MICROPHONE || delivered >= 99.5);
  CHECK(heard <= b.heard && timeline <= b.timeline);
  CHECK(wrong <= 96 && flight <= b.flight + 8);
  CHECK(waits <= 60);
}

CHECK_CASE(every_fault_at_every_moment_is_survived) {
  for (int kind = FAULT_XRUN; kind < FAULT_GONE; kind++)
    for (int side = 0; side < 2; side++)
      run_row((fault_kind)kind, side, 100);
}

CHECK_CASE(stalls_of_5_to_500_ms_are_survived) {
  static const double lengths[] = {5, 10, 20, 50, 200, 500};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int side = 0; side < 2; side++)
      run_row(FAULT_STALL, side, lengths[i]);
}

CHECK_CASE(both_sides_that_stop_at_once_are_one_interruption) {
  static const fault_kind together[] = {FAULT_XRUN, FAULT_SUSPEND, FAULT_SUSPEND_LIES};
  static scripted_setting setting;
  for (int i = 0; i < 3; i++) {
    scripted_default(&setting);
    add(&setting, together[i], AD_MICROPHONE, 2, 0);
    add(&setting, together[i], AD_SPEAKER, 2, 0);
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    show(kinds[together[i]], &r, &loop);
    CHECK(r.longest_gap_ms <= 30 && r.wrongly_told <= 96 && !r.is_lost);
    CHECK(loop.counters.xruns == 1 && r.events[VC_EVENT_XRUN] == 1);
  }
}

CHECK_CASE(a_storm_of_a_thousand_xruns_passes) {
  static scripted_setting setting;
  for (int side = 0; side < 3; side++) {
    scripted_default(&setting);
    setting.stop_ns = ms(15000);
    setting.silent_after_ns = ms(12000);
    for (int i = 0; i < 1000; i++) {
      const double at = 500.7 + 10.13 * i;
      if (side != AD_SPEAKER)
        add_at(&setting, FAULT_XRUN, AD_MICROPHONE, at, 0);
      if (side != AD_MICROPHONE)
        add_at(&setting, FAULT_XRUN, AD_SPEAKER, at, 0);
    }
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    static const char *const sides[] = {"microphone", "speaker", "both"};
    show(sides[side], &r, &loop);
    printf("    {\"storm\":\"%s\",\"xruns\":%lu,\"delivered_pct\":%.1f,\"gap_ms\":%.1f,"
           "\"wrong_frames\":%lu,\"waits_per_100_ms\":%lu,\"timeline_error_ms\":%.2f}\n",
           sides[side], (unsigned long)loop.counters.xruns, (double)r.captured_blocks / 14.99,
           r.longest_gap_ms, (unsigned long)r.wrongly_told, (unsigned long)r.most_waits_per_100,
           r.worst_timeline_ms);
    CHECK(!r.is_lost && !r.is_runaway);
    CHECK(loop.counters.xruns >= 900);
    CHECK(side == AD_MICROPHONE || r.wrongly_told <= 96 * 1000);
    CHECK(side != AD_SPEAKER || r.captured_blocks * 1000 >= 1499 * 995);
    // After it everything is as it was.
    CHECK(r.mean_in_flight <= ad_level_target(&loop.level) + 970.0);
  }
}

CHECK_CASE(without_a_look_at_the_speaker_the_matrix_fails) {
  // The negative control: an underrun that nobody sees, and the sound is gone for good.
  static scripted_setting setting;
  scripted_default(&setting);
  setting.ignores_the_speaker = true;
  add(&setting, FAULT_SUSPEND, AD_SPEAKER, 2, 0);
  ad_pair_loop loop;
  const scripted_result blind = scripted_run(&setting, &loop);
  setting.ignores_the_speaker = false;
  const scripted_result seeing = scripted_run(&setting, &loop);
  CHECK(seeing.played_frames > 130000);
  CHECK(blind.wrongly_told + blind.told_unplayed > 1000 ||
        blind.played_frames < seeing.played_frames);
  show("blind", &blind, &loop);
}

CHECK_CASE(what_is_unplugged_is_lost_unless_the_other_side_may_go_on_alone) {
  static scripted_setting setting;
  for (int side = 0; side < 2; side++)
    for (int moment = 0; moment < MOMENTS; moment++)
      for (int alone = 0; alone < 2; alone++) {
        scripted_default(&setting);
        setting.goes_on_alone = alone;
        add(&setting, FAULT_GONE, side, moment, 0);
        ad_pair_loop loop;
        const scripted_result r = scripted_run(&setting, &loop);
        show(side ? "speaker" : "microphone", &r, &loop);
        const uint32_t kind = side == AD_SPEAKER ? VC_EVENT_SPEAKER_LOST : VC_EVENT_MICROPHONE_LOST;
        CHECK(r.is_lost == !alone && r.events[VC_EVENT_DEVICE_LOST] == (unsigned)!alone);
        CHECK(r.events[kind] == (unsigned)alone);
        CHECK(alone || strstr(loop.lost_reason, "unplugged") != NULL);
        CHECK(loop.counters.is_gone[side] == 1 && r.wrongly_told <= 96);
        CHECK(!alone || r.captured_blocks >= 297);
      }
}

/// One side is unplugged and comes back 800 ms later; the other goes on.
static void run_unplugged(int side, int moment, double *worst) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.goes_on_alone = true;
  add(&setting, FAULT_GONE, side, moment, 0);
  add_at(&setting, FAULT_BACK, side, 1803.3, 0);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  char what[64];
  snprintf(what, sizeof what, "%s back, moment %d", side ? "speaker" : "microphone", moment);
  show(what, &r, &loop);
  CHECK(!r.is_lost && !r.is_runaway && r.ended_ms < 1000);
  CHECK(loop.counters.losses[side] == 1 && loop.counters.returns[side] == 1);
  CHECK(loop.counters.is_running[0] && loop.counters.is_running[1]);
  CHECK(r.taken_ms > 0 && r.taken_ms <= 60);
  CHECK(r.worst_timeline_ms <= 1 && r.longest_gap_ms <= 30 && r.wrongly_told <= 96);
  CHECK(r.mean_in_flight > 900 && r.mean_in_flight < 1500);
  worst_of(&worst[0], r.longest_gap_ms);
  worst_of(&worst[1], r.taken_ms);
  worst_of(&worst[2], r.worst_timeline_ms);
  worst_of(&worst[3], 100 - (double)r.captured_blocks * 100 / 299);
  // The speaker plays what it is given while the microphone is away.
  worst_of(&worst[4], side == AD_SPEAKER ? 0 : 144000.0 - (double)r.played_frames);
}

CHECK_CASE(one_side_that_is_unplugged_comes_back_while_the_other_goes_on) {
  for (int side = 0; side < 2; side++) {
    double worst[5] = {0};
    for (int moment = 0; moment < 4; moment++)
      run_unplugged(side, moment, worst);
    printf("    {\"unplugged\":\"%s\",\"gap_ms\":%.1f,\"taken_back_ms\":%.1f,"
           "\"timeline_error_ms\":%.2f,\"delivered_pct\":%.1f,\"unplayed_frames\":%.0f}\n",
           side == AD_SPEAKER ? "speaker" : "microphone", worst[0], worst[1], worst[2],
           100 - worst[3], worst[4]);
    CHECK(side == AD_MICROPHONE || worst[3] <= 0.5);
    CHECK(worst[4] <= 9600);
  }
}

CHECK_CASE(a_device_of_which_nothing_is_left_is_lost) {
  static scripted_setting setting;
  for (int first = 0; first < 2; first++)
    for (double apart = 0; apart <= 1000; apart += 500) {
      scripted_default(&setting);
      setting.goes_on_alone = true;
      add_at(&setting, FAULT_GONE, first, 1003.3, 0);
      add_at(&setting, FAULT_GONE, 1 - first, 1003.3 + apart, 0);
      ad_pair_loop loop;
      const scripted_result r = scripted_run(&setting, &loop);
      CHECK(r.is_lost && r.events[VC_EVENT_DEVICE_LOST] == 1 && r.wrongly_told <= 96);
    }
}

CHECK_CASE(a_microphone_that_delivers_nothing_is_restarted_once_and_then_lost) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = ms(6000);
  add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000, 60000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  show("deaf", &r, &loop);
  CHECK(r.is_lost && loop.counters.stuck == 1);
  CHECK(strstr(loop.lost_reason, "delivers nothing") != NULL);
}

CHECK_CASE(poll_that_is_ready_for_ever_with_nothing_there_costs_little) {
  static scripted_setting setting;
  scripted_default(&setting);
  add_at(&setting, FAULT_POLL_ALWAYS, AD_MICROPHONE, 1000, 60000);
  add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000, 900);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  show("poll", &r, &loop);
  printf("    {\"poll\":\"always ready\",\"waits_per_100_ms\":%lu}\n",
         (unsigned long)r.most_waits_per_100);
  CHECK(!r.is_lost && r.most_waits_per_100 <= 60 && r.captured_blocks > 190);
}

CHECK_CASE(a_microphone_of_exact_zeros_is_told_and_restarted_once) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = ms(30000);
  add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 1000, 20000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  show("zeros", &r, &loop);
  CHECK(loop.counters.silences == 1 && loop.counters.restarts[AD_MICROPHONE] == 1);
  CHECK(loop.counters.xruns == 0 && loop.counters.microphone_is_silent == 0);
  CHECK(r.captured_blocks >= 2996);
}

CHECK_CASE(a_microphone_of_zeros_that_a_restart_does_not_help_is_opened_anew_once) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = ms(60000);
  setting.goes_on_alone = true;
  add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 1000, 50000);
  add_at(&setting, FAULT_BACK, AD_MICROPHONE, 17000, 0);
  // Opened anew it is as silent as before: a switch on the device.
  add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 17001, 30000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  show("zeros for long", &r, &loop);
  CHECK(loop.counters.silences == 1 && loop.counters.losses[AD_MICROPHONE] == 1);
  CHECK(loop.counters.returns[AD_MICROPHONE] == 1 && loop.counters.microphone_is_silent == 0);
  CHECK(!r.is_lost && r.worst_timeline_ms <= 1 && r.captured_blocks >= 5990);
}

CHECK_CASE(stop_ends_within_a_second_in_every_state) {
  static scripted_setting setting;
  double worst = 0;
  for (int kind = FAULT_XRUN; kind < FAULT_KINDS; kind++)
    for (int side = 0; side < 2; side++)
      for (double after = 1; after < 200; after *= 3) {
        scripted_default(&setting);
        setting.goes_on_alone = true;
        setting.stop_ns = ms(1003.3 + after);
        add(&setting, (fault_kind)kind, side, 2, 60000);
        ad_pair_loop loop;
        const scripted_result r = scripted_run(&setting, &loop);
        worst_of(&worst, r.ended_ms);
        CHECK(!r.is_runaway);
      }
  printf("    {\"stop_worst_ms\":%.1f}\n", worst);
  CHECK(worst <= 1000);
}

CHECK_CASE(the_prefill_grows_with_underruns_and_shrinks_in_quiet) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = ms(29000);
  setting.silent_after_ns = ms(2500);
  // Bursts: the microphone comes 40 ms at a time, ten times; the speaker runs dry meanwhile.
  for (int i = 0; i < 10; i++)
    add_at(&setting, FAULT_POLL_NEVER, AD_MICROPHONE, 1000 + 100 * i, 1);
  for (int i = 0; i < 10; i++)
    add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000 + 100 * i, 38);
  ad_pair_loop loop;
  scripted_result r = scripted_run(&setting, &loop);
  show("bursts", &r, &loop);
  const double after_bursts = r.last_in_flight;
  const unsigned long grown = loop.level.prefill;
  setting.stop_ns = ms(120000);
  r = scripted_run(&setting, &loop);
  show("later", &r, &loop);
  printf("    {\"prefill_frames_after_bursts\":%lu,\"prefill_frames_later\":%u,"
         "\"in_flight_then\":%.0f,\"in_flight_later\":%.0f}\n",
         grown, loop.level.prefill, after_bursts, r.last_in_flight);
  CHECK(grown > 1440 && loop.level.prefill == 1440);
  CHECK(r.mean_in_flight > 900 && r.mean_in_flight < 1500);
}

CHECK_CASE(every_period_and_the_shortest_buffer_play_without_an_underrun) {
  static const uint32_t periods[] = {120, 240, 480, 960, 1024};
  static scripted_setting setting;
  for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
    for (uint32_t buffer = 960; buffer <= 8192; buffer *= 2) {
      if (buffer < 2 * periods[i] || buffer % periods[i])
        continue;
      scripted_default(&setting);
      setting.period = periods[i];
      setting.buffer = buffer;
      ad_pair_loop loop;
      const scripted_result r = scripted_run(&setting, &loop);
      printf("    {\"period\":%u,\"buffer\":%u,\"prefill\":%u,\"in_flight\":%.0f,\"xruns\":%lu}\n",
             periods[i], buffer, loop.level.prefill, r.mean_in_flight,
             (unsigned long)loop.counters.xruns);
      CHECK(loop.counters.xruns == 0 && loop.level.prefill > 0 && r.told_unplayed == 0);
      CHECK(r.most_in_flight - r.least_in_flight <= 2 && r.worst_heard_ms < 0.1);
    }
}
