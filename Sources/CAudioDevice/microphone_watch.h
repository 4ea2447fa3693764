#ifndef AD_MICROPHONE_WATCH_H
#define AD_MICROPHONE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "voice_realtime.h"

/// Notices a microphone that delivers exact zeros: a loose plug, a muted element, a driver whose
/// stream stands still. A switch on the device does the same, so it is told and restarted once, and
/// opened anew once, never in a loop.
typedef struct {
  uint64_t zero_frames; ///< in a row, up to now
  uint8_t told;         ///< of this silence: 1 after the first word, 2 after the second
} ad_microphone_watch;

typedef enum {
  AD_WATCH_NOTHING,
  AD_WATCH_SILENT,
  AD_WATCH_STILL_SILENT,
  AD_WATCH_SOUNDS_AGAIN
} ad_watch_news;

/// Exact zeros for so long are no quiet room: 5 s at 48 kHz.
#define AD_WATCH_ZERO_FRAMES 240000
/// For so long after that, and a restart did not help: 10 s.
#define AD_WATCH_STILL_FRAMES 480000

/// Takes a block. AD_WATCH_SILENT and then AD_WATCH_STILL_SILENT come once in each silence.
ad_watch_news ad_microphone_watch_block(ad_microphone_watch *watch, const float *block,
                                        size_t frames) VD_NONBLOCKING;
/// Whether all samples are exactly zero.
bool ad_is_silent(const float *block, size_t frames) VD_NONBLOCKING;

#endif
