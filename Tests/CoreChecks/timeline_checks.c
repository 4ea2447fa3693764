#include <math.h>
#include <string.h>

#include "checks.h"
#include "playout.h"
#include "snapshot.h"
#include "steering.h"

// The parts of the playout clock, each by itself.

/// A device that reports `play` frames ahead, step by step.
static void report(vc_timeline *timeline, uint64_t block, uint32_t play, uint32_t configured) {
  const vc_timing timing = {.capture_frames = block * VC_BLOCK_FRAMES,
                            .play_delay_frames = play,
                            .hidden_latency_frames = configured};
  (void)vc_timeline_report(timeline, &timing, false);
  vc_timeline_write(timeline, VC_BLOCK_FRAMES, 16);
}

CHECK_CASE(echo_that_comes_later_than_reported_corrects_the_clock) {
  vc_timeline timeline;
  vc_timeline_init(&timeline, 16);
  uint64_t block = 0;
  for (; block < 100; block++)
    report(&timeline, block, 1440, 0);
  const int64_t before = timeline.offset;
  CHECK(timeline.hidden_state == VC_HIDDEN_CONFIGURED && timeline.hidden == 0);
  // 1.5 ms of it are the way through the air.
  vc_timeline_correct(&timeline, 9600 + 72);
  CHECK(timeline.hidden_state == VC_HIDDEN_FOUND && timeline.hidden == 9600);
  CHECK(timeline.offset == before + 9600 && timeline.reported_offset == before);
  for (; block < 200; block++)
    report(&timeline, block, 1440, 0);
  CHECK(timeline.offset == before + 9600);
  // Less than 1 ms is no news.
  vc_timeline_correct(&timeline, 9600 + 72 + 40);
  CHECK(timeline.hidden == 9600);
  // Another device was opened, or somebody gave another figure.
  report(&timeline, block, 1440, 2400);
  CHECK(timeline.hidden_state == VC_HIDDEN_CONFIGURED && timeline.hidden == 2400);
  CHECK(timeline.offset == before + 2400);
}

CHECK_CASE(frames_written_before_an_interruption_keep_their_time) {
  vc_timeline timeline;
  vc_timeline_init(&timeline, 0);
  for (uint64_t block = 0; block < 100; block++) {
    report(&timeline, block, 1440, 0);
    timeline.held = 0;
  }
  const uint64_t old = timeline.written - 1000;
  const int64_t heard = vc_timeline_heard_at(&timeline, old);
  const vc_timing timing = {.capture_frames = 100 * VC_BLOCK_FRAMES,
                            .play_delay_frames = 2400,
                            .epoch = 1,
                            .unplayed_frames = 480,
                            .inserted_frames = 1920};
  CHECK(vc_timeline_report(&timeline, &timing, false));
  CHECK(vc_timeline_heard_at(&timeline, old) == heard);
  CHECK(timeline.unheard_from == timeline.written - 480);
  // What comes now lies behind the device's own silence.
  CHECK(vc_timeline_heard_at(&timeline, timeline.written) == 101 * VC_BLOCK_FRAMES + 2400);
}

/// Uniform noise of `frames` each way.
static double noise(double frames) {
  return frames * ((double)checks_random_below(20001) / 10000 - 1);
}

CHECK_CASE(one_clock_is_left_alone_whatever_its_jitter) {
  static const double jitters[] = {0, 5, 48, 480};
  for (size_t j = 0; j < sizeof jitters / sizeof *jitters; j++) {
    vc_drift drift;
    vc_steering steering;
    vc_drift_init(&drift);
    vc_steering_init(&steering);
    int engaged = 0;
    for (int block = 1; block <= 60000; block++) {
      vc_drift_observe(&drift, block * 480.0, -1440 + noise(jitters[j]));
      const double ratio = vc_steering_ratio(&steering, &drift, 1440 + noise(1), 0);
      engaged += ratio != 1;
    }
    // 20 ms of jitter, peak to peak: within 20 ppm; all others do not move at all.
    CHECK(fabs(vc_drift_speed(&drift)) < 20e-6);
    CHECK(engaged == 0 || jitters[j] == 480);
  }
}

CHECK_CASE(drift_is_frozen_over_a_restart) {
  vc_drift drift;
  vc_drift_init(&drift);
  double lead = 0;
  int block = 1;
  for (; block <= 6000; block++)
    vc_drift_observe(&drift, block * 480.0, lead += 480 * 300e-6);
  CHECK(fabs(vc_drift_speed(&drift) - 300e-6) < 1e-6);
  // The restart takes two seconds and leaves the speaker anywhere.
  vc_drift_restart(&drift);
  lead += 7777;
  block += 200;
  vc_drift_observe(&drift, block * 480.0, lead);
  CHECK(drift.lead == lead);
  CHECK(fabs(vc_drift_speed(&drift) - 300e-6) < 1e-6);
  // A jump that nobody announces is noticed within four reports, and moves the rate no more.
  lead -= 5000;
  for (int i = 0; i < 4; i++)
    vc_drift_observe(&drift, ++block * 480.0, lead += 480 * 300e-6);
  CHECK(fabs(drift.lead - lead) < 1);
  CHECK(fabs(vc_drift_speed(&drift) - 300e-6) < 1e-6);
}

CHECK_CASE(a_wrong_report_moves_nothing) {
  vc_drift drift;
  vc_drift_init(&drift);
  for (int block = 1; block <= 3000; block++) {
    const int is_wrong = block > 200 && block % 50 < 2;
    vc_drift_observe(&drift, block * 480.0, is_wrong ? 100000 : 0);
    CHECK(fabs(drift.lead) < 1);
  }
  CHECK(fabs(vc_drift_speed(&drift)) < 1e-6);
}

CHECK_CASE(a_reader_needs_no_writer_that_was_interrupted) {
  static vc_published published;
  vc_snapshot snapshot = {.playout = {.now_frame = 480, .delay_frames = 7}};
  vc_publish(&published, &snapshot);
  // The writer begins the next one and is interrupted for good.
  const uint32_t next = atomic_load(&published.complete) + 1;
  atomic_store(&published.begun, next);
  atomic_store(&published.words[next % VC_SNAPSHOT_SLOTS][0], 960);
  vc_snapshot seen;
  CHECK(vc_published_read(&published, &seen));
  CHECK(seen.playout.now_frame == 480 && seen.playout.delay_frames == 7);
}

CHECK_CASE(a_reader_that_is_overtaken_gives_up_at_its_bound) {
  static vc_published published;
  vc_snapshot snapshot = {.playout = {.now_frame = 480}};
  vc_publish(&published, &snapshot);
  atomic_store(&published.begun, atomic_load(&published.complete) + VC_SNAPSHOT_SLOTS);
  vc_snapshot seen;
  CHECK(!vc_published_read(&published, &seen));
}

CHECK_CASE(what_another_speaker_hides_is_its_own) {
  vc_timeline timeline;
  vc_timeline_init(&timeline, 16);
  report(&timeline, 0, 1440, 0);
  vc_timeline_correct(&timeline, 4800 + 72);
  report(&timeline, 1, 1440, 0);
  CHECK(timeline.hidden == 4800 && timeline.hidden_state == VC_HIDDEN_FOUND);
  const vc_timing timing = {
      .capture_frames = 2 * VC_BLOCK_FRAMES, .play_delay_frames = 1440, .speaker = 7};
  (void)vc_timeline_report(&timeline, &timing, false);
  CHECK(timeline.hidden == 0 && timeline.hidden_state == VC_HIDDEN_CONFIGURED);
}

CHECK_CASE(an_echo_that_comes_early_or_far_too_late_hides_nothing) {
  vc_timeline timeline;
  vc_timeline_init(&timeline, 16);
  report(&timeline, 0, 1440, 0);
  // 20 ms through the air, less a frame.
  vc_timeline_correct(&timeline, 960 + 72 - 1);
  CHECK(timeline.hidden == 0 && timeline.hidden_state == VC_HIDDEN_FOUND);
  vc_timeline_correct(&timeline, 960 + 72);
  CHECK(timeline.hidden == 960);
  vc_timeline_correct(&timeline, 24000 + 72 + 1);
  CHECK(timeline.hidden == 960);
  // It is hidden no more: another mode of a television, say.
  vc_timeline_correct(&timeline, 100);
  CHECK(timeline.hidden == 0 && timeline.hidden_state == VC_HIDDEN_FOUND);
}
