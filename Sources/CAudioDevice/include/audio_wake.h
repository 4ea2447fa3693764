#ifndef AUDIO_WAKE_H
#define AUDIO_WAKE_H

#include "voice_realtime.h"

VD_BEGIN_DECLS

/// A descriptor that is readable while outputs wait (an eventfd).
/// Result: the descriptor, or a negative errno. Role: any.
int ad_wake_create(void);
void ad_wake_destroy(int descriptor);
/// Makes it readable: one system call, the only one of the audio thread besides ALSA's and poll.
void ad_wake_signal(int descriptor) VD_NONBLOCKING;
/// Makes it unreadable again. Role: application.
void ad_wake_clear(int descriptor);

VD_END_DECLS

#endif
