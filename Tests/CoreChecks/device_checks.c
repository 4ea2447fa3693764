#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio_device.h"
#include "audio_wake.h"
#include "checks.h"
#include "failing_creation.h"
#include "simroom.h"

// The audio thread on ALSA, with the simulated room as its card and the room's clock in our hand.
// The plugin itself is built without sanitizers, as a driver would be.

/// A tenth of a millisecond each: ten seconds without a sign of life are a failure.
enum { PATIENCE = 100000 };

typedef struct {
  simroom *room;
  int (*advance)(simroom *room, int64_t frames);
  int (*inject)(simroom *room, int fault, int directions, int64_t frames);
  int (*remove)(simroom *room);
  int64_t (*stream_start)(simroom *room, int direction);
} air;

static void *find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  CHECK(symbol != NULL);
  return symbol;
}

/// Result: whether there is a room; the script that runs the checks makes one.
static int make_air(air *made) {
  const char *path = getenv("SIMROOM_LIBRARY");
  // Never closed: rooms live as long as the library.
  static void *library;
  if (path != NULL && library == NULL)
    library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL);
  if (library == NULL)
    return 0;
  // The detour over memory is the one that C allows from objects to functions.
  simroom *(*room)(const char *) = NULL;
  int (*use_manual_clock)(simroom *) = NULL;
  void *symbols[] = {find(library, "simroom_room"),    find(library, "simroom_use_manual_clock"),
                     find(library, "simroom_advance"), find(library, "simroom_inject"),
                     find(library, "simroom_remove"),  find(library, "simroom_stream_start")};
  memcpy(&room, &symbols[0], sizeof room);
  memcpy(&use_manual_clock, &symbols[1], sizeof use_manual_clock);
  memcpy(&made->advance, &symbols[2], sizeof made->advance);
  memcpy(&made->inject, &symbols[3], sizeof made->inject);
  memcpy(&made->remove, &symbols[4], sizeof made->remove);
  memcpy(&made->stream_start, &symbols[5], sizeof made->stream_start);
  made->room = room("default");
  CHECK(made->room != NULL && use_manual_clock(made->room) == 0);
  return made->room != NULL;
}

typedef struct {
  air air;
  vc_port *port;
  ad_device *device;
  int wake;
} setting;

// The room's clock runs as we let it.
static const ad_config names = {.capture = "simroom", .playback = "simroom", .is_untimed = 1};

static int set_up(setting *set) {
  *set = (setting){0};
  if (!make_air(&set->air))
    return 0;
  vc_config config = vc_config_default();
  config.cancels_echo = config.suppresses_noise = 0;
  CHECK(vc_port_create(&set->port, &config) == 0);
  set->wake = ad_wake_create();
  CHECK(set->wake >= 0);
  return 1;
}

static void tear_down(setting *set) {
  ad_device_close(set->device);
  vc_port_destroy(set->port);
  ad_wake_destroy(set->wake);
  CHECK(set->air.remove(set->air.room) == 0);
}

static int open_and_start(setting *set) {
  char error[512] = "";
  const int result = ad_device_open(&set->device, &names, set->port, set->wake, error, 512);
  if (result < 0) {
    CHECK(error[0] != 0);
    return result;
  }
  CHECK(ad_device_start(set->device) == 0);
  int left = PATIENCE;
  while (set->air.stream_start(set->air.room, SIMROOM_CAPTURE) < 0 && --left > 0)
    usleep(100);
  CHECK(left > 0);
  return 0;
}

static uint64_t signs_of_life(const setting *set) {
  vc_counters counters;
  uint64_t dropped = 0;
  vc_port_counters(set->port, &counters, &dropped);
  ad_status status;
  ad_device_status(set->device, &status);
  return counters.blocks + status.xruns + !status.running;
}

/// Lets 10 ms pass at a time, each once the audio thread is done with the one before.
static void pass(const setting *set, int blocks) {
  for (int b = 0; b < blocks; b++) {
    const uint64_t before = signs_of_life(set);
    CHECK(set->air.advance(set->air.room, VC_BLOCK_FRAMES) == 0);
    int left = PATIENCE;
    while (signs_of_life(set) == before && --left > 0)
      usleep(100);
    CHECK(left > 0);
    if (left == 0)
      return;
    vd_packet packets[4];
    vc_event events[4];
    ad_wake_clear(set->wake);
    while (vc_port_take_packets(set->port, packets, 4) + vc_port_take_events(set->port, events, 4))
      continue;
  }
}

/// Lets 10 ms pass once; a thread that the machine held up has the block before it to finish first.
static int passes_until_lost(const setting *set) {
  CHECK(set->air.advance(set->air.room, VC_BLOCK_FRAMES) == 0);
  ad_status status;
  int left = PATIENCE;
  for (ad_device_status(set->device, &status); status.running && --left > 0;) {
    usleep(100);
    ad_device_status(set->device, &status);
  }
  return !status.running;
}

CHECK_CASE(audio_thread_never_blocks_whatever_happens_to_its_card) {
  setting set;
  if (!set_up(&set))
    return;
  CHECK(vc_port_start_recording(set.port) == 0);
  CHECK(open_and_start(&set) == 0);
  pass(&set, 30);
  for (int direction = SIMROOM_PLAYBACK; direction <= SIMROOM_CAPTURE; direction++) {
    CHECK(set.air.inject(set.air.room, SIMROOM_FAULT_XRUN, direction, 0) == 0);
    pass(&set, 20);
  }
  CHECK(set.air.inject(set.air.room, SIMROOM_FAULT_SUSPEND, 3, 0) == 0);
  pass(&set, 20);
  ad_status status;
  ad_device_status(set.device, &status);
  // On a busy machine the room's time may run ahead of the thread, and make an underrun of its own;
  // that each interruption counts once is held in virtual time.
  CHECK(status.running && status.xruns >= 3);
  CHECK(ad_device_lost_reason(set.device)[0] == 0);
  CHECK(set.air.inject(set.air.room, SIMROOM_FAULT_UNPLUG, 3, 0) == 0);
  CHECK(passes_until_lost(&set));
  CHECK(ad_device_lost_reason(set.device)[0] != 0);
  ad_device_close(set.device);
  set.device = NULL;
  CHECK(open_and_start(&set) == -ENODEV);
  CHECK(set.air.inject(set.air.room, SIMROOM_FAULT_REPLUG, 3, 0) == 0);
  CHECK(open_and_start(&set) == 0);
  pass(&set, 20);
  tear_down(&set);
}

static int open_and_close(void *context) {
  setting *set = context;
  char error[512] = "";
  const int result = ad_device_open(&set->device, &names, set->port, set->wake, error, 512);
  CHECK((result == 0) == (error[0] == 0) && (result == 0) == (set->device != NULL));
  const int started = result == 0 ? ad_device_start(set->device) : result;
  ad_device_close(set->device);
  set->device = NULL;
  return started;
}

static int create_wake(void *unused) {
  (void)unused;
  const int wake = ad_wake_create();
  if (wake >= 0)
    ad_wake_destroy(wake);
  return wake < 0 ? wake : 0;
}

CHECK_CASE(device_without_memory_fails_cleanly_at_every_allocation) {
  (void)checks_fail_each_allocation("ad_wake_create", create_wake, NULL);
  setting set;
  if (!set_up(&set))
    return;
  (void)checks_fail_each_allocation("ad_device_open", open_and_close, &set);
  (void)checks_fail_each_allocation("ad_device_start", open_and_close, &set);
  tear_down(&set);
}

CHECK_CASE(device_that_was_opened_twice_is_busy_the_second_time) {
  setting set;
  if (!set_up(&set))
    return;
  CHECK(open_and_start(&set) == 0);
  ad_device *second = NULL;
  char error[512] = "";
  CHECK(ad_device_open(&second, &names, set.port, set.wake, error, sizeof error) == -EBUSY);
  CHECK(second == NULL && strstr(error, "busy") != NULL);
  tear_down(&set);
}
