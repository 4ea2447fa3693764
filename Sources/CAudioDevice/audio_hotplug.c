#include "audio_hotplug.h"

#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

/// The group of the kernel's own messages; group 2 is udev's.
#define KERNEL_GROUP 1
/// Longest message of the kernel (UEVENT_BUFFER_SIZE) with room to spare.
#define MESSAGE_BYTES 8192
/// Messages taken with one call; the rest keeps the descriptor readable.
#define TAKE_MAX 256

struct ad_hotplug {
  int descriptor;
  int folder_watch; ///< -1 while the folder is not there
  char folder[PATH_MAX];
};

int ad_hotplug_is_about_sound(const char *message, size_t bytes) {
  static const char key[] = "SUBSYSTEM=sound";
  size_t at = 0;
  while (at < bytes) {
    const char *end = memchr(&message[at], 0, bytes - at);
    size_t length = end ? (size_t)(end - &message[at]) : bytes - at;
    if (length == sizeof key - 1 && memcmp(&message[at], key, length) == 0)
      return 1;
    at += length + 1;
  }
  return 0;
}

static int make(ad_hotplug **out, int descriptor) {
  if (descriptor < 0)
    return -errno;
  ad_hotplug *hotplug = calloc(1, sizeof *hotplug);
  if (!hotplug) {
    close(descriptor);
    return -ENOMEM;
  }
  hotplug->descriptor = descriptor;
  hotplug->folder_watch = -1;
  *out = hotplug;
  return 0;
}

int ad_hotplug_open_messages(ad_hotplug **out) {
  int type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  int result = make(out, socket(AF_NETLINK, type, NETLINK_KOBJECT_UEVENT));
  if (result < 0)
    return result;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
  if (bind((*out)->descriptor, (struct sockaddr *)&address, sizeof address) == 0)
    return 0;
  result = -errno;
  ad_hotplug_close(*out);
  *out = NULL;
  return result;
}

/// Watches the folder if it is there. Result: 0 or a negative errno.
static int watch_folder(ad_hotplug *hotplug) {
  // A node is created before its owner and mode are set: that change is told too.
  hotplug->folder_watch = inotify_add_watch(hotplug->descriptor, hotplug->folder,
                                            IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR);
  return hotplug->folder_watch < 0 && errno != ENOENT ? -errno : 0;
}

int ad_hotplug_open_folder(ad_hotplug **out, const char *folder) {
  if (strlen(folder) >= sizeof(*out)->folder)
    return -ENAMETOOLONG;
  int result = make(out, inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (result < 0)
    return result;
  ad_hotplug *hotplug = *out;
  snprintf(hotplug->folder, sizeof hotplug->folder, "%s", folder);
  char parent[PATH_MAX];
  snprintf(parent, sizeof parent, "%s", folder);
  char *slash = strrchr(parent, '/');
  if (slash && slash != parent)
    *slash = 0;
  if (inotify_add_watch(hotplug->descriptor, parent, IN_CREATE | IN_ONLYDIR) < 0)
    result = -errno;
  if (result == 0)
    result = watch_folder(hotplug);
  if (result == 0)
    return 0;
  ad_hotplug_close(hotplug);
  *out = NULL;
  return result;
}

void ad_hotplug_close(ad_hotplug *hotplug) {
  if (!hotplug)
    return;
  close(hotplug->descriptor);
  free(hotplug);
}

int ad_hotplug_descriptor(const ad_hotplug *hotplug) {
  return hotplug->descriptor;
}

/// Whether a card may have come or gone by this change of the folder or its parent.
static bool follow(ad_hotplug *hotplug, const struct inotify_event *event) {
  if (event->mask & IN_Q_OVERFLOW)
    return true;
  if (event->wd == hotplug->folder_watch) {
    if (event->mask & IN_IGNORED)
      hotplug->folder_watch = -1; // The last card went, and the folder with it.
    return true;
  }
  const char *slash = strrchr(hotplug->folder, '/');
  if (!event->len || strcmp(event->name, slash ? slash + 1 : hotplug->folder) != 0)
    return false;
  (void)watch_folder(hotplug); // Gone again already: then there is nothing to watch.
  return true;
}

static bool take_changes(ad_hotplug *hotplug, const char *buffer, size_t bytes) {
  bool changed = false;
  size_t at = 0;
  while (at < bytes) {
    const struct inotify_event *event = (const void *)&buffer[at];
    changed |= follow(hotplug, event);
    at += sizeof *event + event->len;
  }
  return changed;
}

/// Result: bytes received, with the sender's number in `port`, or -1.
static ssize_t receive(const ad_hotplug *hotplug, char *buffer, size_t bytes, unsigned *port) {
  struct sockaddr_nl sender = {0};
  socklen_t length = sizeof sender;
  ssize_t got =
      recvfrom(hotplug->descriptor, buffer, bytes, 0, (struct sockaddr *)&sender, &length);
  *port = sender.nl_pid;
  return got;
}

int ad_hotplug_take(ad_hotplug *hotplug) {
  _Alignas(struct inotify_event) char buffer[MESSAGE_BYTES];
  bool is_folder = hotplug->folder[0] != 0;
  int changed = 0;
  for (int i = 0; i < TAKE_MAX; i++) {
    unsigned port = 0;
    ssize_t got = is_folder ? read(hotplug->descriptor, buffer, sizeof buffer)
                            : receive(hotplug, buffer, sizeof buffer, &port);
    if (got < 0 && errno == EAGAIN)
      break;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno == ENOBUFS) {
      changed = 1; // Messages were lost; one of them may have been ours.
      continue;
    }
    if (got <= 0)
      return got < 0 ? -errno : -EIO;
    if (is_folder)
      changed |= take_changes(hotplug, buffer, (size_t)got);
    else if (port == 0) // Only the kernel is believed.
      changed |= ad_hotplug_is_about_sound(buffer, (size_t)got);
  }
  return changed;
}
