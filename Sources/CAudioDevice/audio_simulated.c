#include "audio_simulated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// What the speaker played, kept as long as the longest way to the microphone: 2.7 s.
#define AIR_FRAMES 131072
#define AIR_MASK (AIR_FRAMES - 1)

struct ad_simulated {
  vc_port *port;
  ad_simulated_config config;
  uint64_t capture_frames;
  float taps[AD_SIMULATED_TAPS_MAX];
  float air[AIR_FRAMES]; ///< by the capture frame at which it is heard
};

static int is_valid(const ad_simulated_config *config) {
  return config->playback_frames <= 48000 && config->hidden_latency_frames <= 24000 &&
         config->capture_waiting_frames <= 24000 && config->echo_delay_frames <= 9600 &&
         config->tap_count <= AD_SIMULATED_TAPS_MAX;
}

int ad_simulated_create(ad_simulated **out, const ad_simulated_config *config, vc_port *port) {
  if (!out || !config || !port || !is_valid(config))
    return -EINVAL;
  ad_simulated *device = calloc(1, sizeof *device);
  if (!device)
    return -ENOMEM;
  device->port = port;
  device->config = *config;
  if (config->taps && config->tap_count) {
    memcpy(device->taps, config->taps, config->tap_count * sizeof *config->taps);
  } else {
    device->taps[0] = 1;
    device->config.tap_count = 1;
  }
  device->config.taps = NULL;
  *out = device;
  return 0;
}

void ad_simulated_destroy(ad_simulated *device) {
  free(device);
}

/// What the speaker's sound adds to the microphone at capture frame `frame`.
static float echo(const ad_simulated *device, uint64_t frame) {
  float sum = 0;
  // Frames before the first wrap around to parts of the ring that are still silent.
  uint64_t first = frame - device->config.echo_delay_frames;
  for (size_t i = 0; i < device->config.tap_count; i++)
    sum += device->taps[i] * device->air[(first - i) & AIR_MASK];
  return device->config.echo_gain * sum;
}

int ad_simulated_step(ad_simulated *device, const float *near_end, float *microphone,
                      float *speaker) VD_NONBLOCKING {
  const ad_simulated_config *config = &device->config;
  uint64_t start = device->capture_frames;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    speaker[i] = device->air[(start + i) & AIR_MASK];
    microphone[i] = (near_end ? near_end[i] : 0) + echo(device, start + i);
  }
  uint64_t now = start + VC_BLOCK_FRAMES + config->capture_waiting_frames;
  vc_timing timing = {.now_ns = (int64_t)(now * 1000000 / 48),
                      .capture_frames = start,
                      .capture_delay_frames = config->capture_waiting_frames,
                      .play_delay_frames = config->playback_frames,
                      .hidden_latency_frames = config->reported_latency_frames};
  float block[VC_SPEAKER_FRAMES_MAX];
  size_t frames;
  int wakes = vc_port_step(device->port, microphone, block, &frames, &timing);
  uint64_t heard = now + config->playback_frames + config->hidden_latency_frames;
  for (size_t i = 0; i < frames; i++)
    device->air[(heard + i) & AIR_MASK] = block[i];
  device->capture_frames += VC_BLOCK_FRAMES;
  return wakes;
}

void ad_simulated_lose_frames(ad_simulated *device, uint32_t frames) VD_NONBLOCKING {
  // The device played silence meanwhile; what it held before has been heard.
  for (uint32_t i = 0; i < frames && i < AIR_FRAMES; i++) {
    uint64_t behind = device->capture_frames + device->config.capture_waiting_frames +
                      device->config.playback_frames + device->config.hidden_latency_frames +
                      VC_BLOCK_FRAMES;
    device->air[(behind + i) & AIR_MASK] = 0;
  }
  device->capture_frames += frames;
  vc_port_device_event(device->port, VC_EVENT_XRUN, (uint32_t)device->capture_frames);
}
