#ifndef UPLINK_H
#define UPLINK_H

#include <stdatomic.h>

#include "media_plane.h"
#include "packet_ring.h"
#include "reorder.h"
#include "voice_codec.h"
#include "voice_level.h"
#include "voice_ring.h"

/// The way up of one call: what the device sends, decoded on arrival and judged in 32 ms windows.
typedef struct {
  packet_ring received; // control -> media
  vd_ring *heard;       // media -> control, of mt_hearing
  _Atomic uint64_t packets_lost;
  _Atomic uint64_t packets_late;
  _Atomic uint64_t hearing_dropped;
  // The media thread's own:
  reorder order;
  vd_decoder *decoder;
  vd_vad *vad;
  vd_level level;
  uint8_t has_timeline;
  uint8_t follows_loss; // the packet before the next one is lost
  uint64_t timestamp;   // of the last packet, unwrapped
  size_t overlap;       ///< samples of the packet at hand that were heard already
  uint64_t position;    // the next 16 kHz sample to be heard
  size_t filled;        // of the window in the making, which ends at `position`
  uint32_t concealed;
  float window[VD_VAD_WINDOW_SAMPLES];
} uplink;

int mt_uplink_init(uplink *up, const vd_vad_weights *weights);
void mt_uplink_deinit(uplink *up);
/// Hears all packets that wait, as far as there is room for what is heard.
/// Result: windows pushed; `*pending` is raised before each. Role: media.
size_t mt_uplink_step(uplink *up, _Atomic size_t *pending) VD_NONBLOCKING;
/// Whether packets wait for room. Role: media.
int mt_uplink_is_stalled(const uplink *up) VD_NONBLOCKING;

#endif
