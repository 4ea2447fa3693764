#ifndef AUDIO_SIMULATED_H
#define AUDIO_SIMULATED_H

#include "voice_port.h"

VD_BEGIN_DECLS

/// Taps of a simulated room's impulse response at most: 100 ms.
#define AD_SIMULATED_TAPS_MAX 4800

/// A device and its room on a caller's clock: no thread, no time of its own. It knows when each
/// sample is heard, so the playout clock can be held against it.
typedef struct ad_simulated ad_simulated;

/// All counts are frames at 48 kHz.
typedef struct {
  uint32_t playback_frames;         ///< in the device ahead of each written block; at most 48,000
  uint32_t hidden_latency_frames;   ///< that the device delays without telling; at most 24,000
  uint32_t reported_latency_frames; ///< of those, known to the core
  uint32_t capture_waiting_frames;  ///< captured already when a block is read; at most 24,000
  uint32_t echo_delay_frames;       ///< from the speaker to the microphone; at most 9,600
  float echo_gain;                  ///< scales the impulse response
  const float *taps;                ///< impulse response, copied; NULL is a single 1
  size_t tap_count;
} ad_simulated_config;

/// Result: 0, -EINVAL or -ENOMEM. The port must outlive the device.
int ad_simulated_create(ad_simulated **out, const ad_simulated_config *config, vc_port *port);
void ad_simulated_destroy(ad_simulated *device);
/// Lets 10 ms pass.
/// - near_end: VC_BLOCK_FRAMES samples of the person, or NULL.
/// - microphone, speaker: receive what the room heard during the block, at each place.
/// Result: 1 when outputs wait.
int ad_simulated_step(ad_simulated *device, const float *near_end, float *microphone,
                      float *speaker) VD_NONBLOCKING;
/// Capture frames of lost time, as after an xrun: the next block begins so much later.
void ad_simulated_lose_frames(ad_simulated *device, uint32_t frames) VD_NONBLOCKING;

VD_END_DECLS

#endif
