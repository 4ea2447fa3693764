#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "audio_cards.h"
#include "guest.h"

// Semantics only: an emulated machine says nothing about time, so these checks wait generously and
// ask whether frames flow at all, not how evenly.

#define LOOPBACK_MICROPHONE "hw:CARD=Loopback,DEV=1"
#define LOOPBACK_SPEAKER "hw:CARD=Loopback,DEV=0"
#define DUMMY "hw:CARD=Dummy,DEV=0"
#define HDA "hw:CARD=Intel,DEV=0"

/// Blocks that must come in two seconds, of 200: an emulated card stutters.
enum { SOME_BLOCKS = 100, TWO_SECONDS = 2000 };

static int is_listed(const char *card, int captures, int plays) {
  ad_card_device devices[AD_CARD_DEVICES_MAX];
  const long count = ad_cards_list(devices, AD_CARD_DEVICES_MAX);
  for (long i = 0; i < count; i++) {
    if (strcmp(devices[i].card_id, card) == 0 && devices[i].captures >= captures &&
        devices[i].plays >= plays)
      return 1;
  }
  return 0;
}

CHECK_CASE(cards_are_listed_by_id) {
  CHECK(is_listed("Loopback", 1, 1));
  CHECK(is_listed("Dummy", 1, 1));
  CHECK(is_listed("Intel", 1, 1));
  CHECK(!is_listed("Absent", 0, 0));
}

CHECK_CASE(a_card_that_is_not_there_is_said_to_be_absent) {
  guest talk;
  CHECK(guest_begin(&talk, "hw:CARD=Absent,DEV=0", "hw:CARD=Absent,DEV=0", 0) == -ENODEV);
  guest_end(&talk);
}

static void flows(const char *capture, const char *playback) {
  guest talk;
  CHECK(guest_begin(&talk, capture, playback, 0) == 0);
  if (talk.device != NULL) {
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    const uint64_t blocks = guest_pass(&talk, TWO_SECONDS);
    const ad_status status = guest_status(&talk);
    (void)printf("    %lu blocks in 2 s, %lu packets, %lu xruns, realtime %d\n",
                 (unsigned long)blocks, (unsigned long)talk.packets, (unsigned long)status.xruns,
                 status.realtime);
    CHECK(blocks >= SOME_BLOCKS && talk.packets >= SOME_BLOCKS / 2);
    CHECK(status.running && ad_device_lost_reason(talk.device)[0] == 0);
  }
  guest_end(&talk);
}

CHECK_CASE(frames_flow_both_ways_on_the_dummy_card) {
  flows(DUMMY, DUMMY);
}

CHECK_CASE(frames_flow_both_ways_on_an_emulated_hda_card) {
  flows(HDA, HDA);
}

CHECK_CASE(what_is_played_into_the_loopback_card_is_captured_from_it) {
  guest talk;
  CHECK(guest_begin(&talk, LOOPBACK_MICROPHONE, LOOPBACK_SPEAKER, 0) == 0);
  if (talk.device != NULL) {
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    guest_forget_sound(&talk);
    (void)guest_pass(&talk, TWO_SECONDS / 4);
    const float quiet = talk.loudest_microphone;
    guest_speak(&talk, 1, 50);
    const uint64_t blocks = guest_pass(&talk, TWO_SECONDS);
    (void)printf("    %lu blocks in 2 s, %lu xruns, microphone %.3f before, %.3f while it spoke\n",
                 (unsigned long)blocks, (unsigned long)guest_status(&talk).xruns, (double)quiet,
                 (double)talk.loudest_microphone);
    CHECK(quiet < 0.01f);
    CHECK(talk.loudest_speaker > 0.3f && talk.loudest_microphone > 0.3f);
    CHECK(blocks >= SOME_BLOCKS);
  }
  guest_end(&talk);
}

CHECK_CASE(a_card_that_is_open_already_is_busy) {
  guest first;
  guest second;
  CHECK(guest_begin(&first, HDA, HDA, 0) == 0);
  CHECK(guest_begin(&second, HDA, HDA, 0) == -EBUSY);
  guest_end(&second);
  guest_end(&first);
}

/// Writes into a file of the kernel from a program of its own, which holds none of our descriptors.
static pid_t write_aside(const char *path, const char *word) {
  char command[256];
  (void)snprintf(command, sizeof command, "echo %s > %s", word, path);
  const pid_t child = fork();
  if (child == 0) {
    (void)execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
  }
  return child;
}

static int ended_well(pid_t child) {
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// Stops this whole process for a while, as a debugger or a starving machine would.
static void stand_still(int duration_ms) {
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    (void)kill(self, SIGSTOP);
    const struct timespec pause = {.tv_sec = duration_ms / 1000,
                                   .tv_nsec = (long)(duration_ms % 1000) * 1000000};
    (void)nanosleep(&pause, NULL);
    (void)kill(self, SIGCONT);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

static void recovers(const char *capture, const char *playback) {
  guest talk;
  CHECK(guest_begin(&talk, capture, playback, 0) == 0);
  if (talk.device != NULL) {
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    const uint64_t before = guest_status(&talk).xruns;
    vc_playout clock_before;
    vc_port_playout(talk.port, &clock_before);
    stand_still(700);
    const uint64_t blocks = guest_pass(&talk, TWO_SECONDS);
    const ad_status status = guest_status(&talk);
    vc_playout clock_after;
    vc_port_playout(talk.port, &clock_after);
    const double passed = (double)(clock_after.now_frame - clock_before.now_frame) / 48.0;
    (void)printf("    %lu xruns for standing still, then %lu blocks in 2 s; capture index %.0f ms "
                 "on\n",
                 (unsigned long)(status.xruns - before), (unsigned long)blocks, passed);
    CHECK(status.xruns > before && talk.xrun_events > 0);
    CHECK(status.running && blocks >= SOME_BLOCKS);
    // The time that was lost is in the capture index.
    CHECK(passed > 2300 && passed < 5000);
  }
  guest_end(&talk);
}

CHECK_CASE(the_loopback_card_goes_on_after_an_xrun) {
  recovers(LOOPBACK_MICROPHONE, LOOPBACK_SPEAKER);
}

CHECK_CASE(the_dummy_card_goes_on_after_an_xrun) {
  recovers(DUMMY, DUMMY);
}

CHECK_CASE(the_hda_card_goes_on_after_an_xrun) {
  recovers(HDA, HDA);
}

static void comes_back(const char *capture, const char *playback, const char *driver,
                       const char *name) {
  char unbind[160];
  char bind[160];
  (void)snprintf(unbind, sizeof unbind, "%s/unbind", driver);
  (void)snprintf(bind, sizeof bind, "%s/bind", driver);
  guest talk;
  CHECK(guest_begin(&talk, capture, playback, 0) == 0);
  if (talk.device != NULL) {
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    const int64_t unplugged = guest_now_ms();
    // The kernel lets go of a card only when the last descriptor is closed: aside, or this would
    // wait for itself.
    const pid_t unbinding = write_aside(unbind, name);
    CHECK(guest_wait_lost(&talk, 5000));
    (void)printf("    lost %ld ms after it was unbound: %s\n", (long)(guest_now_ms() - unplugged),
                 ad_device_lost_reason(talk.device));
    CHECK(talk.lost_events == 1 && ad_device_lost_reason(talk.device)[0] != 0);
    CHECK(guest_reopen(&talk, capture, playback, 0) == -ENODEV);
    CHECK(ended_well(unbinding));
    CHECK(guest_write(bind, name) == 0);
    const int64_t bound = guest_now_ms();
    CHECK(guest_reopen(&talk, capture, playback, 3000) == 0);
    if (talk.device != NULL) {
      (void)printf("    open again %ld ms after it was bound\n", (long)(guest_now_ms() - bound));
      CHECK(guest_now_ms() - bound < 1000);
      (void)guest_pass(&talk, TWO_SECONDS / 2);
      CHECK(guest_pass(&talk, TWO_SECONDS) >= SOME_BLOCKS);
    }
  }
  guest_end(&talk);
}

CHECK_CASE(the_loopback_card_is_lost_when_unbound_and_found_when_bound) {
  comes_back(LOOPBACK_MICROPHONE, LOOPBACK_SPEAKER, "/sys/bus/platform/drivers/snd_aloop",
             "snd_aloop.0");
}

CHECK_CASE(the_dummy_card_is_lost_when_unbound_and_found_when_bound) {
  comes_back(DUMMY, DUMMY, "/sys/bus/platform/drivers/snd_dummy", "snd_dummy.0");
}

CHECK_CASE(the_hda_card_is_lost_when_unbound_and_found_when_bound) {
  // The address that the machine's start script gives the card.
  comes_back(HDA, HDA, "/sys/bus/pci/drivers/snd_hda_intel", "0000:00:05.0");
}

static void survives_suspend(const char *capture, const char *playback) {
  guest talk;
  CHECK(guest_begin(&talk, capture, playback, 0) == 0);
  if (talk.device != NULL) {
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    const uint64_t before = guest_status(&talk).xruns;
    CHECK(guest_write("/sys/power/pm_test", "devices") == 0);
    // Comes back after five seconds: the kernel's own test mode.
    CHECK(guest_write("/sys/power/state", "mem") == 0);
    (void)guest_pass(&talk, TWO_SECONDS / 2);
    const uint64_t blocks = guest_pass(&talk, TWO_SECONDS);
    const ad_status status = guest_status(&talk);
    (void)printf("    %lu restarts over the suspend, then %lu blocks in 2 s\n",
                 (unsigned long)(status.xruns - before), (unsigned long)blocks);
    CHECK(status.xruns > before);
    CHECK(status.running && blocks >= SOME_BLOCKS);
  }
  guest_end(&talk);
}

CHECK_CASE(the_dummy_card_goes_on_after_a_suspend) {
  survives_suspend(DUMMY, DUMMY);
}

CHECK_CASE(the_hda_card_goes_on_after_a_suspend) {
  survives_suspend(HDA, HDA);
}
