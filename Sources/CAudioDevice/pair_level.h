#ifndef AD_PAIR_LEVEL_H
#define AD_PAIR_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "voice_realtime.h"

/// How much sound is kept between microphone and speaker: a value, all counts in frames at 48 kHz.
/// It grows with every underrun and shrinks when nothing happens.
typedef struct {
  uint32_t prefill;       ///< silence with which a speaker starts
  uint32_t least, most;   ///< bounds of `prefill`
  int64_t clean_since_ns; ///< no underrun since
} ad_level;

/// Clean time after which the prefill shrinks by a block.
#define AD_LEVEL_CLEAN_NS INT64_C(20000000000)
/// The prefill never grows beyond this, whatever the buffer: 120 ms.
#define AD_LEVEL_MOST_FRAMES 5760

/// The level for a pair of devices.
/// - wanted: prefill to begin with; the devices may need more, or hold less.
/// - longest_period: of the two directions.
/// - headroom: more that the speaker needs, because it moves in bursts.
/// - buffer, period: of the speaker.
ad_level ad_level_begin(uint32_t wanted, uint32_t longest_period, uint32_t headroom,
                        uint32_t buffer, uint32_t period, int64_t now_ns) VD_NONBLOCKING;
/// The speaker ran dry.
void ad_level_underrun(ad_level *level, int64_t now_ns) VD_NONBLOCKING;
/// Whether it is time to take a block away.
bool ad_level_may_shrink(const ad_level *level, int64_t now_ns) VD_NONBLOCKING;
/// A block was taken away.
void ad_level_shrunk(ad_level *level, int64_t now_ns) VD_NONBLOCKING;
/// Frames in flight (in the speaker and waiting in the microphone) when a block is about to be
/// written.
uint32_t ad_level_target(const ad_level *level) VD_NONBLOCKING;

#endif
