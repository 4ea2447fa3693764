#ifndef AD_ABSENT_PCM_H
#define AD_ABSENT_PCM_H

#include "alsa_pcm.h"

/// What stands in for a direction that is unplugged, so that the other goes on: a speaker that is
/// gone for whoever asks, or a microphone that hears silence, on the monotonic clock.
/// - world: whose clock it is, and what waits.
/// Result: 0 or -ENOMEM. Role: application.
int ad_absent_create(ad_pcm **out, bool captures, const ad_alsa_calls *world);

#endif
