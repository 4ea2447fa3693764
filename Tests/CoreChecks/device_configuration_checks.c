#include <alsa/asoundlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio_device.h"
#include "audio_wake.h"
#include "checks.h"

// What a person's ~/.asoundrc does to the opening of a device: mistakes in it, cards that only open
// through ALSA's converter, and cards that a sound server holds. All through the seam of alsa-lib
// itself, with the simulated room behind every name.

/// Where a name leads, in ALSA's words: card `odd` runs at 6 kHz only, every other is a room of its
/// own.
static const char names[] =
    "pcm.!hw { @args [ CARD DEV SUBDEV ] @args.CARD { type string default \"Room\" }\n"
    "  @args.DEV { type integer default 0 } @args.SUBDEV { type integer default -1 }\n"
    "  type simroom room $CARD rate 6000 }\n"
    "pcm.!plughw { @args [ CARD DEV SUBDEV ] @args.CARD { type string default \"Room\" }\n"
    "  @args.DEV { type integer default 0 } @args.SUBDEV { type integer default -1 }\n"
    "  type plug slave.pcm { type simroom room $CARD rate 6000 } }\n"
    "pcm.held { type simroom room \"held\" }\n"
    "pcm.!pulse { type simroom room \"server\" }\n";

static char home[64], old_home[256];

/// Makes a home with this ~/.asoundrc, and has ALSA read everything again.
static void move_in(const char *text) {
  const char *before = getenv("HOME");
  snprintf(old_home, sizeof old_home, "%s", before ? before : "");
  snprintf(home, sizeof home, "/tmp/voice-home-XXXXXX");
  CHECK(mkdtemp(home) != NULL);
  char path[96];
  snprintf(path, sizeof path, "%s/.asoundrc", home);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  if (file) {
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
  }
  setenv("HOME", home, 1);
  snd_config_update_free_global();
}

static void move_out(void) {
  char path[96];
  snprintf(path, sizeof path, "%s/.asoundrc", home);
  unlink(path);
  rmdir(home);
  setenv("HOME", old_home, 1);
  snd_config_update_free_global();
}

static int probe(const char *capture, const char *playback, ad_status *status, char *error,
                 size_t bytes) {
  ad_config config = {0};
  snprintf(config.capture, sizeof config.capture, "%s", capture);
  snprintf(config.playback, sizeof config.playback, "%s", playback);
  return ad_device_probe(&config, status, error, bytes);
}

CHECK_CASE(a_mistake_in_asoundrc_is_said_with_its_place) {
  if (getenv("SIMROOM_LIBRARY") == NULL)
    return;
  static const struct {
    const char *text, *says;
  } mistakes[] = {
      {"pcm.!default {\n  type hw\n", "Unexpected char"},
      {"pcm.mine { type hw }\nthis is no configuration } }\n", "Unexpected }"},
      {"pcm.mine {\n  type plug slave.pcm \"\n", ".asoundrc"},
  };
  static const char *const asked[] = {"auto", "simroom", "hw:0"};
  for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
    move_in(mistakes[m].text);
    for (int i = 0; i < 3; i++) {
      ad_status status;
      char error[512] = "";
      CHECK(probe(asked[i], asked[i], &status, error, sizeof error) == -EINVAL);
      CHECK(strstr(error, "configuration cannot be read") && strstr(error, ".asoundrc"));
      CHECK(strstr(error, mistakes[m].says) && strstr(error, home));
      if (i == 0)
        printf("    %s\n", error);
    }
    move_out();
  }
  // Mended, the same process opens it: nobody has to start again.
  ad_status status;
  char error[512] = "";
  CHECK(probe("simroom", "simroom", &status, error, sizeof error) == 0);
}

CHECK_CASE(a_name_that_leads_nowhere_says_where_to) {
  if (getenv("SIMROOM_LIBRARY") == NULL)
    return;
  move_in("pcm.lost { type plug slave.pcm \"gone\" }\npcm.strange { type nonsense }\n");
  ad_status status;
  char error[512] = "";
  CHECK(probe("lost", "lost", &status, error, sizeof error) < 0);
  CHECK(strstr(error, "lost") && strstr(error, "gone"));
  CHECK(probe("strange", "strange", &status, error, sizeof error) < 0);
  CHECK(strstr(error, "nonsense") != NULL);
  CHECK(probe("nobody", "nobody", &status, error, sizeof error) == -ENODEV);
  CHECK(strstr(error, "nobody") != NULL);
  move_out();
}

/// Lets a device run on the wall clock until 200 ms of sound went through it.
static void hear(const char *capture, const char *playback, ad_status *status) {
  vc_config core = vc_config_default();
  core.cancels_echo = core.suppresses_noise = 0;
  vc_port *port = NULL;
  CHECK(vc_port_create(&port, &core) == 0);
  const int wake = ad_wake_create();
  ad_config config = {0};
  snprintf(config.capture, sizeof config.capture, "%s", capture);
  snprintf(config.playback, sizeof config.playback, "%s", playback);
  ad_device *device = NULL;
  char error[512] = "";
  const int opened = ad_device_open(&device, &config, port, wake, error, sizeof error);
  if (opened < 0)
    printf("    %s\n", error);
  CHECK(opened == 0);
  if (opened == 0) {
    CHECK(ad_device_start(device) == 0);
    vc_counters counters = {0};
    uint64_t dropped;
    // Only a thread that stands still needs a minute.
    for (int i = 0; i < 60000 && counters.blocks < 20; i++) {
      usleep(1000);
      vc_port_counters(port, &counters, &dropped);
    }
    CHECK(counters.blocks >= 20);
    ad_device_status(device, status);
    CHECK(status->running);
  }
  ad_device_close(device);
  vc_port_destroy(port);
  ad_wake_destroy(wake);
}

CHECK_CASE(a_card_without_a_usable_rate_is_opened_through_alsas_converter) {
  if (getenv("SIMROOM_LIBRARY") == NULL)
    return;
  move_in(names);
  ad_status status = {0};
  hear("hw:CARD=odd,DEV=0", "hw:CARD=odd,DEV=0", &status);
  printf("    %s | %s\n", status.capture, status.playback);
  CHECK(strncmp(status.capture, "plughw:CARD=odd,DEV=0 ", 22) == 0);
  CHECK(strncmp(status.playback, "plughw:CARD=odd,DEV=0 ", 22) == 0);
  // Natively first, then with our own resampler, then with ALSA's.
  CHECK(status.refusal_count == 4 && strcmp(status.refusals[0].name, "hw:CARD=odd,DEV=0") == 0);
  CHECK(strstr(status.refusals[0].reason, "no rate from 8000") != NULL);
  CHECK(strcmp(status.refusals[1].name, "plughw:CARD=odd,DEV=0") == 0);
  move_out();
}

CHECK_CASE(a_card_that_a_server_holds_is_heard_through_the_server) {
  if (getenv("SIMROOM_LIBRARY") == NULL)
    return;
  move_in(names);
  snd_pcm_t *held[2];
  CHECK(snd_pcm_open(&held[0], "held", SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK) == 0);
  CHECK(snd_pcm_open(&held[1], "held", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) == 0);
  ad_status status = {0};
  hear("held", "held", &status);
  CHECK(strncmp(status.capture, "pulse ", 6) == 0 && strncmp(status.playback, "pulse ", 6) == 0);
  CHECK(status.note_count >= 2 && strstr(status.notes[0], "held by a sound server") != NULL);
  CHECK(status.refusals[0].code == -EBUSY);
  // The control: with no server there it is busy, and the sentence says so.
  move_out();
  move_in("pcm.held { type simroom room \"held\" }\n");
  ad_status refused;
  char error[512] = "";
  // Asked twice: a refusal leaves the one who holds it alone.
  for (int i = 0; i < 2; i++)
    CHECK(probe("held", "held", &refused, error, sizeof error) == -EBUSY);
  CHECK(strstr(error, "busy") != NULL);
  snd_pcm_close(held[0]);
  snd_pcm_close(held[1]);
  move_out();
}
