#ifndef AD_PAIR_LOOP_H
#define AD_PAIR_LOOP_H

#include <stdatomic.h>

#include "alsa_open.h"
#include "voice_port.h"

/// The audio thread: capture is the clock, each block read makes one block written.
typedef struct {
  ad_pair pair;
  vc_port *port;
  int wake;
  int stop;
  uint32_t hidden_latency_frames;
  uint32_t prefill_periods;
  uint64_t capture_frames; ///< index of the next block's first frame
  uint64_t anchor_frames;  ///< capture frame of "now" at `anchor_ns`
  int64_t anchor_ns;
  uint32_t epoch;    ///< counts the starts of the pair
  uint32_t failures; ///< recoveries since the last block
  uint32_t timeouts; ///< since the last block
  char lost_reason[AD_TEXT_BYTES];
  _Atomic int running;
  _Atomic uint64_t xruns;
  _Atomic uint64_t spurious_wakes;
  _Atomic uint64_t refused_frames;
  _Atomic uint32_t play_delay_frames;
  _Atomic uint32_t prefill_now;
} ad_pair_loop;

/// Runs until `stop` is readable or the device is lost (then `lost_reason` says why).
void ad_pair_loop_run(ad_pair_loop *loop) VD_NONBLOCKING;

#endif
