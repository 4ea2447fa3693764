#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "scripted_faults.h"

// The fault matrix: each fault, on each side, before the start, in the first period, in the steady
// state, during a recovery, and twice in a row. The figures are of the worst of each.

CHECK_CASE(a_device_without_faults_is_left_alone) {
  static scripted_setting setting;
  scripted_default(&setting);
  ad_pair_loop loop;
  scripted_result r = scripted_run(&setting, &loop);
  scripted_show("none", &r, &loop);
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

/// All moments of one fault on one side. The figures are the worst of them.
static void run_row(fault_kind kind, int side, double length) {
  static scripted_setting setting;
  double gap = 0, heard = 0, timeline = 0, delivered = 100, waits = 0, wrong = 0, flight = 0;
  double lost = 0;
  for (int moment = 0; moment < SCRIPTED_MOMENTS; moment++) {
    scripted_default(&setting);
    scripted_add_moment(&setting, kind, side, moment, length);
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    char what[96];
    snprintf(what, sizeof what, "%s %d %d", scripted_kinds[kind], side, moment);
    scripted_show(what, &r, &loop);
    // Those in a row, or on top of another, take as long again.
    scripted_worst(&gap, r.longest_gap_ms / (moment >= 3 ? 2 : 1));
    scripted_worst(&heard, r.worst_heard_ms / (moment >= 3 ? 2 : 1));
    scripted_worst(&timeline, r.worst_timeline_ms / (moment >= 3 ? 2 : 1));
    scripted_worst(&waits, (double)r.most_waits_per_100);
    scripted_worst(&wrong, (double)r.wrongly_told);
    const double target = ad_level_target(&loop.level);
    scripted_worst(&flight, r.least_in_flight > target ? r.most_in_flight - target
                                                       : target - r.least_in_flight);
    const double share = (double)r.captured_blocks * 100 / 299;
    delivered = share < delivered ? share : delivered;
    lost += r.is_lost;
    CHECK(!r.is_runaway && r.ended_ms < 1000);
  }
  printf("    {\"fault\":\"%s\",\"side\":\"%s\",\"length_ms\":%.0f,\"gap_ms\":%.1f,"
         "\"delivered_pct\":%.1f,\"heard_error_ms\":%.2f,\"timeline_error_ms\":%.2f,"
         "\"wrong_frames\":%.0f,\"flight_off_frames\":%.0f,\"waits_per_100_ms\":%.0f}\n",
         scripted_kinds[kind], side == AD_SPEAKER ? "speaker" : "microphone", length, gap,
         delivered, heard, timeline, wrong, flight, waits);
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

CHECK_CASE(a_stall_that_nobody_sees_leaves_the_timeline_behind) {
  // The negative control of the two above, and the length of what is put in.
  static scripted_setting setting;
  for (int blind = 0; blind < 2; blind++) {
    scripted_default(&setting);
    setting.is_untimed = blind;
    scripted_add_moment(&setting, FAULT_STALL, AD_MICROPHONE, 2, 100);
    ad_pair_loop loop;
    const scripted_result r = scripted_run(&setting, &loop);
    scripted_show(blind ? "blind" : "seeing", &r, &loop);
    CHECK(blind ? r.worst_timeline_ms > 99 : r.worst_timeline_ms < 1);
    CHECK(loop.counters.stalls == (unsigned)!blind);
    CHECK(blind || (loop.counters.lost_frames >= 4790 && loop.counters.lost_frames <= 4810));
  }
}

CHECK_CASE(both_sides_that_stop_at_once_are_one_interruption) {
  static const fault_kind together[] = {FAULT_XRUN, FAULT_SUSPEND, FAULT_SUSPEND_LIES};
  static scripted_setting setting;
  for (int i = 0; i < 3; i++) {
    scripted_default(&setting);
    scripted_add_moment(&setting, together[i], AD_MICROPHONE, 2, 0);
    scripted_add_moment(&setting, together[i], AD_SPEAKER, 2, 0);
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    scripted_show(scripted_kinds[together[i]], &r, &loop);
    CHECK(r.longest_gap_ms <= 30 && r.wrongly_told <= 96 && !r.is_lost);
    CHECK(loop.counters.xruns == 1 && r.events[VC_EVENT_XRUN] == 1);
  }
}

CHECK_CASE(a_storm_of_a_thousand_xruns_passes) {
  static scripted_setting setting;
  for (int side = 0; side < 3; side++) {
    scripted_default(&setting);
    setting.stop_ns = scripted_ms(15000);
    setting.silent_after_ns = scripted_ms(12000);
    for (int i = 0; i < 1000; i++) {
      const double at = 500.7 + 10.13 * i;
      if (side != AD_SPEAKER)
        scripted_add_at(&setting, FAULT_XRUN, AD_MICROPHONE, at, 0);
      if (side != AD_MICROPHONE)
        scripted_add_at(&setting, FAULT_XRUN, AD_SPEAKER, at, 0);
    }
    ad_pair_loop loop;
    scripted_result r = scripted_run(&setting, &loop);
    static const char *const sides[] = {"microphone", "speaker", "both"};
    scripted_show(sides[side], &r, &loop);
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
  scripted_add_moment(&setting, FAULT_SUSPEND, AD_SPEAKER, 2, 0);
  ad_pair_loop loop;
  const scripted_result blind = scripted_run(&setting, &loop);
  setting.ignores_the_speaker = false;
  const scripted_result seeing = scripted_run(&setting, &loop);
  CHECK(seeing.played_frames > 130000);
  CHECK(blind.wrongly_told + blind.told_unplayed > 1000 ||
        blind.played_frames < seeing.played_frames);
  scripted_show("blind", &blind, &loop);
}

CHECK_CASE(a_microphone_that_delivers_nothing_is_restarted_once_and_then_lost) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = scripted_ms(6000);
  scripted_add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000, 60000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  scripted_show("deaf", &r, &loop);
  CHECK(r.is_lost && loop.counters.stuck == 1);
  CHECK(strstr(loop.lost_reason, "delivers nothing") != NULL);
}

CHECK_CASE(poll_that_is_ready_for_ever_with_nothing_there_costs_little) {
  static scripted_setting setting;
  scripted_default(&setting);
  scripted_add_at(&setting, FAULT_POLL_ALWAYS, AD_MICROPHONE, 1000, 60000);
  scripted_add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000, 900);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  scripted_show("poll", &r, &loop);
  printf("    {\"poll\":\"always ready\",\"waits_per_100_ms\":%lu}\n",
         (unsigned long)r.most_waits_per_100);
  CHECK(!r.is_lost && r.most_waits_per_100 <= 60 && r.captured_blocks > 190);
}

CHECK_CASE(a_microphone_of_exact_zeros_is_told_and_restarted_once) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = scripted_ms(30000);
  scripted_add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 1000, 20000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  scripted_show("zeros", &r, &loop);
  CHECK(loop.counters.silences == 1 && loop.counters.restarts[AD_MICROPHONE] == 1);
  CHECK(loop.counters.xruns == 0 && loop.counters.microphone_is_silent == 0);
  CHECK(r.captured_blocks >= 2996);
}

CHECK_CASE(stop_ends_within_a_second_in_every_state) {
  static scripted_setting setting;
  double worst = 0;
  for (int kind = FAULT_XRUN; kind < FAULT_KINDS; kind++)
    for (int side = 0; side < 2; side++)
      for (int moment = 0; moment < SCRIPTED_MOMENTS; moment++)
        for (double after = 1; after < 200; after *= 3) {
          scripted_default(&setting);
          setting.goes_on_alone = true;
          setting.stop_ns = scripted_ms((moment < 2 ? 0 : 1003.3) + after);
          scripted_add_moment(&setting, (fault_kind)kind, side, moment, 60000);
          ad_pair_loop loop;
          const scripted_result r = scripted_run(&setting, &loop);
          scripted_worst(&worst, r.ended_ms);
          CHECK(!r.is_runaway);
        }
  printf("    {\"stop_worst_ms\":%.1f}\n", worst);
  CHECK(worst <= 1000);
}

CHECK_CASE(the_prefill_grows_with_underruns_and_shrinks_in_quiet) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = scripted_ms(29000);
  setting.silent_after_ns = scripted_ms(2500);
  // Bursts: the microphone comes 40 ms at a time, ten times; the speaker runs dry meanwhile.
  for (int i = 0; i < 10; i++)
    scripted_add_at(&setting, FAULT_POLL_NEVER, AD_MICROPHONE, 1000 + 100 * i, 1);
  for (int i = 0; i < 10; i++)
    scripted_add_at(&setting, FAULT_STALL, AD_MICROPHONE, 1000 + 100 * i, 38);
  ad_pair_loop loop;
  scripted_result r = scripted_run(&setting, &loop);
  scripted_show("bursts", &r, &loop);
  const double after_bursts = r.last_in_flight;
  const unsigned long grown = loop.level.prefill;
  setting.stop_ns = scripted_ms(120000);
  r = scripted_run(&setting, &loop);
  scripted_show("later", &r, &loop);
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
