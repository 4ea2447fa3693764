#ifndef AUDIO_SIMULATED_H
#define AUDIO_SIMULATED_H

#include "voice_port.h"

VD_BEGIN_DECLS

/// Taps of a simulated room's impulse response at most: 100 ms.
#define AD_SIMULATED_TAPS_MAX 4800

/// A device and its room on a caller's clock: no thread, no time of its own. It has two clocks, the
/// microphone's and the speaker's, and knows when each sample is heard, so the playout clock can be
/// held against it.
typedef struct ad_simulated ad_simulated;

/// Sides of a device that something befalls; they add up.
enum { AD_SIMULATED_PLAYBACK = 1, AD_SIMULATED_CAPTURE = 2 };

/// All counts are frames at 48 kHz.
typedef struct {
  uint32_t playback_frames;         ///< in the device ahead of each written block; at most 48,000
  uint32_t buffer_frames;           ///< that the device holds at most; 0: as many as are written
  uint32_t hidden_latency_frames;   ///< that the device delays without telling; at most 24,000
  uint32_t reported_latency_frames; ///< of those, known to the core
  uint32_t capture_waiting_frames;  ///< captured already when a block is read; at most 24,000
  uint32_t wake_jitter_frames;      ///< a block is read so much later, at random; at most 24,000
  uint32_t report_jitter_frames;    ///< random error of the reported delay, both ways
  uint32_t report_quantum_frames;   ///< the reported position moves in steps of this; 0 or 1: none
  uint32_t seed;                    ///< of what is random
  double playback_ppm;              ///< by which the speaker's clock is faster; -5,000..5,000
  uint32_t echo_delay_frames;       ///< from the speaker to the microphone; at most 9,600
  float echo_gain;                  ///< scales the impulse response
  const float *taps;                ///< impulse response, copied; NULL is a single 1
  size_t tap_count;
  uint8_t is_mute; ///< nonzero: no sound is computed, only when it would be heard
} ad_simulated_config;

/// What only the room knows.
typedef struct {
  double next_heard_frame; ///< capture frame at which the next frame written will be heard
  double in_flight_frames; ///< between capture and playback at the last step
  uint64_t underruns;      ///< the speaker had nothing to play: the core was too slow
  uint64_t refused_frames; ///< the buffer was full: the core was too fast
} ad_simulated_truth;

/// Result: 0, -EINVAL or -ENOMEM. The port must outlive the device.
int ad_simulated_create(ad_simulated **out, const ad_simulated_config *config, vc_port *port);
void ad_simulated_destroy(ad_simulated *device);
/// Lets 10 ms pass.
/// - near_end: VC_BLOCK_FRAMES samples of the person, or NULL.
/// - microphone, speaker: receive what the room heard during the block, at each place.
/// Result: 1 when outputs wait.
int ad_simulated_step(ad_simulated *device, const float *near_end, float *microphone,
                      float *speaker) VD_NONBLOCKING;
/// Both sides stop for `frames` of time and are started again: the next block begins so much later.
void ad_simulated_lose_frames(ad_simulated *device, uint32_t frames) VD_NONBLOCKING;
/// One side breaks off and is started again; the other goes on. Playback loses what it held and
/// begins with its prefill; capture loses `frames` of time.
void ad_simulated_xrun(ad_simulated *device, int side, uint32_t frames) VD_NONBLOCKING;
/// One side's clock stands still for `frames` of the other's and then goes on, unannounced.
void ad_simulated_pause(ad_simulated *device, int side, uint32_t frames) VD_NONBLOCKING;
/// The speaker's clock runs at another pace from now on.
void ad_simulated_set_ppm(ad_simulated *device, double ppm) VD_NONBLOCKING;
/// As of the last step.
void ad_simulated_know(const ad_simulated *device, ad_simulated_truth *truth) VD_NONBLOCKING;

VD_END_DECLS

#endif
