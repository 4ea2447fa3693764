#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "scripted_faults.h"

// One side of a device leaves while the other goes on, and comes back.

CHECK_CASE(what_is_unplugged_is_lost_unless_the_other_side_may_go_on_alone) {
  static scripted_setting setting;
  for (int side = 0; side < 2; side++)
    for (int moment = 0; moment < SCRIPTED_MOMENTS; moment++)
      for (int alone = 0; alone < 2; alone++) {
        scripted_default(&setting);
        setting.goes_on_alone = alone;
        scripted_add_moment(&setting, FAULT_GONE, side, moment, 0);
        ad_pair_loop loop;
        const scripted_result r = scripted_run(&setting, &loop);
        scripted_show(side ? "speaker" : "microphone", &r, &loop);
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
  scripted_add_moment(&setting, FAULT_GONE, side, moment, 0);
  scripted_add_at(&setting, FAULT_BACK, side, 1803.3, 0);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  char what[64];
  snprintf(what, sizeof what, "%s back, moment %d", side ? "speaker" : "microphone", moment);
  scripted_show(what, &r, &loop);
  CHECK(!r.is_lost && !r.is_runaway && r.ended_ms < 1000);
  CHECK(loop.counters.losses[side] == 1 && loop.counters.returns[side] == 1);
  CHECK(loop.counters.is_running[0] && loop.counters.is_running[1]);
  CHECK(r.taken_ms > 0 && r.taken_ms <= 60);
  CHECK(r.worst_timeline_ms <= 1 && r.longest_gap_ms <= 30 && r.wrongly_told <= 96);
  CHECK(r.mean_in_flight > 900 && r.mean_in_flight < 1500);
  scripted_worst(&worst[0], r.longest_gap_ms);
  scripted_worst(&worst[1], r.taken_ms);
  scripted_worst(&worst[2], r.worst_timeline_ms);
  scripted_worst(&worst[3], 100 - (double)r.captured_blocks * 100 / 299);
  // The speaker plays what it is given while the microphone is away.
  scripted_worst(&worst[4], side == AD_SPEAKER ? 0 : 144000.0 - (double)r.played_frames);
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
      scripted_add_at(&setting, FAULT_GONE, first, 1003.3, 0);
      scripted_add_at(&setting, FAULT_GONE, 1 - first, 1003.3 + apart, 0);
      ad_pair_loop loop;
      const scripted_result r = scripted_run(&setting, &loop);
      CHECK(r.is_lost && r.events[VC_EVENT_DEVICE_LOST] == 1 && r.wrongly_told <= 96);
    }
}

CHECK_CASE(a_microphone_of_zeros_that_a_restart_does_not_help_is_opened_anew_once) {
  static scripted_setting setting;
  scripted_default(&setting);
  setting.stop_ns = scripted_ms(60000);
  setting.goes_on_alone = true;
  scripted_add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 1000, 50000);
  scripted_add_at(&setting, FAULT_BACK, AD_MICROPHONE, 17000, 0);
  // Opened anew it is as silent as before: a switch on the device.
  scripted_add_at(&setting, FAULT_ZEROS, AD_MICROPHONE, 17001, 30000);
  ad_pair_loop loop;
  const scripted_result r = scripted_run(&setting, &loop);
  scripted_show("zeros for long", &r, &loop);
  CHECK(loop.counters.silences == 1 && loop.counters.losses[AD_MICROPHONE] == 1);
  CHECK(loop.counters.returns[AD_MICROPHONE] == 1 && loop.counters.microphone_is_silent == 0);
  CHECK(!r.is_lost && r.worst_timeline_ms <= 1 && r.captured_blocks >= 5990);
}
