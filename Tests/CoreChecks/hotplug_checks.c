#include "audio_hotplug.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"
#include "failing_creation.h"

CHECK_CASE(messages_about_sound_are_told_from_others) {
  static const char sound[] =
      "add@/devices/usb1/1-1/sound/card1\0ACTION=add\0SUBSYSTEM=sound\0SEQNUM=1";
  static const char usb[] = "add@/devices/usb1/1-1\0ACTION=add\0SUBSYSTEM=usb\0SEQNUM=2";
  static const char longer[] = "add@/x\0SUBSYSTEM=soundwire\0";
  CHECK(ad_hotplug_is_about_sound(sound, sizeof sound));
  CHECK(!ad_hotplug_is_about_sound(usb, sizeof usb));
  CHECK(!ad_hotplug_is_about_sound(longer, sizeof longer));
  CHECK(!ad_hotplug_is_about_sound(sound, 0));
  // Cut off in the middle, as a message from elsewhere may be.
  for (size_t i = 0; i < sizeof sound; i++)
    (void)ad_hotplug_is_about_sound(sound, i);
}

static void touch(const char *path) {
  int file = open(path, O_CREAT | O_WRONLY, 0600);
  CHECK(file >= 0);
  close(file);
}

CHECK_CASE(a_folder_tells_of_nodes_also_when_it_comes_later) {
  char root[] = "/tmp/hotplug-XXXXXX";
  CHECK(mkdtemp(root) != NULL);
  char folder[64], node[80], other[64];
  snprintf(folder, sizeof folder, "%s/snd", root);
  snprintf(node, sizeof node, "%s/controlC0", folder);
  snprintf(other, sizeof other, "%s/null", root);
  ad_hotplug *hotplug = NULL;
  CHECK(ad_hotplug_open_folder(&hotplug, folder) == 0);
  CHECK(ad_hotplug_take(hotplug) == 0);
  touch(other);
  CHECK(ad_hotplug_take(hotplug) == 0);
  // Twice, for the folder goes with the last card.
  for (int i = 0; i < 2; i++) {
    CHECK(mkdir(folder, 0700) == 0);
    CHECK(ad_hotplug_take(hotplug) == 1);
    touch(node);
    CHECK(ad_hotplug_take(hotplug) == 1);
    CHECK(ad_hotplug_take(hotplug) == 0);
    CHECK(unlink(node) == 0);
    CHECK(ad_hotplug_take(hotplug) == 1);
    CHECK(rmdir(folder) == 0);
    CHECK(ad_hotplug_take(hotplug) == 1);
  }
  ad_hotplug_close(hotplug);
  CHECK(unlink(other) == 0);
  CHECK(rmdir(root) == 0);
}

CHECK_CASE(a_folder_whose_parent_is_missing_is_refused) {
  ad_hotplug *hotplug = NULL;
  CHECK(ad_hotplug_open_folder(&hotplug, "/nonexistent/of/all/snd") == -ENOENT);
  CHECK(hotplug == NULL);
  ad_hotplug_close(hotplug);
}

static int open_messages(void *unused) {
  (void)unused;
  ad_hotplug *hotplug = NULL;
  int result = ad_hotplug_open_messages(&hotplug);
  CHECK(result == 0 || hotplug == NULL);
  ad_hotplug_close(hotplug);
  // A container may have no such socket; the folder's turn tells the same.
  return result == -EPROTONOSUPPORT || result == -EPERM ? 0 : result;
}

static int open_folder(void *unused) {
  (void)unused;
  ad_hotplug *hotplug = NULL;
  int result = ad_hotplug_open_folder(&hotplug, "/tmp/snd");
  CHECK(result == 0 || hotplug == NULL);
  ad_hotplug_close(hotplug);
  return result;
}

CHECK_CASE(hotplug_without_memory_fails_cleanly_at_every_allocation) {
  (void)checks_fail_each_allocation("ad_hotplug_open_messages", open_messages, NULL);
  (void)checks_fail_each_allocation("ad_hotplug_open_folder", open_folder, NULL);
}
