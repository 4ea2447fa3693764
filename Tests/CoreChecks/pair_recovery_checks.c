#include <errno.h>

#include "checks.h"
#include "pair_level.h"
#include "pair_recovery.h"

// The recovery of a pair as scripts: what is seen, and what is done about it. Times in ms.

static const ad_look runs = {.state = AD_RUNNING, .moved = true};
static const ad_look dry = {.state = AD_DRY};
static const ad_look asleep = {.state = AD_SUSPENDED};
static const ad_look gone = {.state = AD_GONE};

static ad_pair_remedy look(ad_pair_recovery *pair, ad_look microphone, ad_look speaker, double at) {
  return ad_pair_looked(pair, &microphone, &speaker, (int64_t)(at * 1e6));
}

static int is(ad_pair_remedy remedy, ad_remedy microphone, ad_remedy speaker) {
  return remedy.capture == microphone && remedy.playback == speaker;
}

CHECK_CASE(what_runs_is_kept_and_what_fails_is_restarted_alone) {
  ad_pair_recovery pair = {0};
  CHECK(is(look(&pair, runs, runs, 0), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, runs, dry, 10), AD_KEEP, AD_RESTART));
  CHECK(is(look(&pair, runs, runs, 20), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, dry, runs, 30), AD_RESTART, AD_KEEP));
  CHECK(is(look(&pair, runs, runs, 40), AD_KEEP, AD_KEEP));
  // Both: the microphone first, for without it nothing is written.
  CHECK(is(look(&pair, dry, dry, 50), AD_RESTART, AD_HOLD));
  ad_side_restarted(&pair.capture, 50000000);
  CHECK(is(look(&pair, (ad_look){.state = AD_RUNNING}, dry, 50), AD_KEEP, AD_RESTART));
}

CHECK_CASE(an_error_counts_whatever_the_state_says) {
  ad_pair_recovery pair = {0};
  ad_look broken = {.state = AD_RUNNING, .error = -EPIPE};
  CHECK(is(look(&pair, broken, runs, 0), AD_RESTART, AD_KEEP));
  broken.error = -ENODEV;
  CHECK(is(look(&pair, broken, runs, 10), AD_GIVE_UP, AD_KEEP));
  // "Not in this state" is no word of a device that is gone.
  pair = (ad_pair_recovery){0};
  broken.error = -EBADFD;
  CHECK(is(look(&pair, broken, runs, 0), AD_RESTART, AD_KEEP));
}

CHECK_CASE(a_resume_is_repeated_while_told_so_and_never_believed) {
  ad_pair_recovery pair = {0};
  double at = 0;
  for (int i = 0; i < AD_RESUMES_MAX; i++, at += 50) {
    CHECK(is(look(&pair, asleep, runs, at), AD_RESUME, AD_KEEP));
    ad_side_resumed(&pair.capture, -EAGAIN, (int64_t)(at * 1e6));
    CHECK(is(look(&pair, asleep, runs, at + 20), AD_HOLD, AD_KEEP));
  }
  CHECK(is(look(&pair, asleep, runs, at), AD_RESTART, AD_KEEP));
  // It says it woke, and sleeps.
  pair = (ad_pair_recovery){0};
  CHECK(is(look(&pair, asleep, runs, 0), AD_RESUME, AD_KEEP));
  ad_side_resumed(&pair.capture, 0, 0);
  CHECK(is(look(&pair, asleep, runs, 0), AD_RESTART, AD_KEEP));
  // It woke: restarted all the same, for nobody knows what it holds.
  pair = (ad_pair_recovery){0};
  CHECK(is(look(&pair, asleep, asleep, 0), AD_RESUME, AD_RESUME));
  ad_side_resumed(&pair.capture, 0, 0);
  ad_side_resumed(&pair.playback, 0, 0);
  CHECK(is(look(&pair, runs, runs, 0), AD_RESTART, AD_KEEP));
  ad_side_restarted(&pair.capture, 0);
  CHECK(is(look(&pair, runs, runs, 0), AD_KEEP, AD_RESTART));
}

CHECK_CASE(restarts_that_do_not_help_back_off_and_end) {
  ad_pair_recovery pair = {0};
  int restarts = 0;
  double at = 0;
  ad_pair_remedy remedy = {AD_HOLD, AD_HOLD};
  for (; at < 10000 && remedy.capture != AD_GIVE_UP; at += 1) {
    remedy = look(&pair, dry, runs, at);
    if (remedy.capture == AD_RESTART) {
      restarts++;
      ad_side_restarted(&pair.capture, (int64_t)(at * 1e6));
    }
  }
  CHECK(remedy.capture == AD_GIVE_UP && restarts == AD_RESTARTS_MAX);
  CHECK(at > 1000 && at < 2000);
  // One frame between them, and the count begins anew.
  pair = (ad_pair_recovery){0};
  for (int i = 0; i < 1000; i++) {
    CHECK(is(look(&pair, dry, runs, 20.0 * i), AD_RESTART, AD_KEEP));
    CHECK(is(look(&pair, runs, runs, 20.0 * i + 10), AD_KEEP, AD_KEEP));
  }
}

CHECK_CASE(a_speaker_that_refuses_is_asked_again_once_a_second_for_ever) {
  ad_pair_recovery pair = {0};
  int restarts = 0;
  for (int at = 0; at < 60000; at += 10) {
    const ad_pair_remedy remedy = look(&pair, runs, dry, at);
    CHECK(remedy.capture == AD_KEEP && remedy.playback != AD_GIVE_UP);
    if (remedy.playback == AD_RESTART) {
      restarts++;
      ad_side_restarted(&pair.playback, (int64_t)at * 1000000);
    }
  }
  CHECK(restarts > 60 && restarts < 80);
  CHECK(is(look(&pair, runs, gone, 60000), AD_KEEP, AD_GIVE_UP));
  CHECK(is(look(&pair, runs, dry, 60010), AD_KEEP, AD_GIVE_UP));
}

CHECK_CASE(what_runs_and_does_not_move_is_restarted_once) {
  ad_pair_recovery pair = {0};
  ad_look still = {.state = AD_RUNNING};
  CHECK(is(look(&pair, runs, runs, 0), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, still, runs, 999), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, still, runs, 1001), AD_RESTART, AD_KEEP));
  ad_side_restarted(&pair.capture, 1001000000);
  CHECK(is(look(&pair, still, runs, 1999), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, still, runs, 2002), AD_GIVE_UP, AD_KEEP));
}

CHECK_CASE(a_speaker_waits_for_a_microphone_that_stands_still) {
  ad_pair_recovery pair = {0};
  ad_look still = {.state = AD_RUNNING};
  CHECK(is(look(&pair, runs, runs, 0), AD_KEEP, AD_KEEP));
  CHECK(is(look(&pair, still, dry, 30), AD_KEEP, AD_HOLD));
  CHECK(is(look(&pair, runs, dry, 90), AD_KEEP, AD_RESTART));
}

CHECK_CASE(the_level_fits_every_buffer_grows_and_shrinks_within_its_bounds) {
  for (uint32_t buffer = 960; buffer < 40000; buffer += 37)
    for (uint32_t period = 48; period <= buffer / 2; period += 111) {
      ad_level level = ad_level_begin(1440, period, 0, buffer, period, 0);
      CHECK(level.prefill > 0 && level.prefill <= buffer && level.least <= level.most);
      for (int i = 0; i < 40; i++)
        ad_level_underrun(&level, i);
      CHECK(level.prefill == level.most);
      int shrinks = 0;
      for (int64_t now = 0; now < 2000 * INT64_C(1000000000); now += 1000000000)
        if (ad_level_may_shrink(&level, now)) {
          ad_level_shrunk(&level, now);
          shrinks++;
        }
      CHECK(level.prefill == level.least && shrinks <= 13);
    }
  // 960 frames of buffer: the whole of it, where an earlier rule came to nothing.
  CHECK(ad_level_begin(1440, 480, 0, 960, 480, 0).prefill == 960);
}
