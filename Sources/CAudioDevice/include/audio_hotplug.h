#ifndef AUDIO_HOTPLUG_H
#define AUDIO_HOTPLUG_H

#include <stddef.h>

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// Something that tells when sound cards come or go.
typedef struct ad_hotplug ad_hotplug;

/// The kernel's own messages (a netlink socket). Result: 0 or the negative errno of a kernel or a
/// container that has none. Role: application.
int ad_hotplug_open_messages(ad_hotplug **out);
/// The folder of the device nodes (usually /dev/snd), which may not be there yet: then its parent
/// is watched until it is. Result: 0 or a negative errno.
int ad_hotplug_open_folder(ad_hotplug **out, const char *folder);
/// NULL is allowed.
void ad_hotplug_close(ad_hotplug *hotplug);
/// Readable while something waits to be taken.
int ad_hotplug_descriptor(const ad_hotplug *hotplug);
/// Takes everything that waits.
/// Result: 1 when a card may have come or gone (also when messages were lost), 0 when all that
/// waited was about something else, a negative errno when the source is of no more use.
int ad_hotplug_take(ad_hotplug *hotplug);
/// Whether a message of the kernel is about sound: "ACTION@PATH", then KEY=VALUE, each ended by 0.
int ad_hotplug_is_about_sound(const char *message, size_t bytes);

VD_END_DECLS

#endif
