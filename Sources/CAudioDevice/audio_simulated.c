#include "audio_simulated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_speaker.h"

struct ad_simulated {
  vc_port *port;
  ad_simulated_config config;
  uint64_t capture_frames; ///< index of the next block's first
  uint32_t epoch;
  uint32_t unplayed; ///< to be told with the next block
  uint32_t inserted; ///< likewise
  uint32_t random;
  bool is_started;
  bool is_restarting; ///< the speaker begins anew with the next block
  double in_flight;
  uint64_t refused_frames;
  float taps[AD_SIMULATED_TAPS_MAX];
  ad_speaker speaker;
};

static int is_valid(const ad_simulated_config *config) {
  return config->playback_frames <= 48000 && config->hidden_latency_frames <= 24000 &&
         config->capture_waiting_frames <= 24000 && config->wake_jitter_frames <= 24000 &&
         config->echo_delay_frames <= 9600 && config->tap_count <= AD_SIMULATED_TAPS_MAX &&
         fabs(config->playback_ppm) <= 5000;
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
  device->random = config->seed ? config->seed : 1;
  device->speaker.hidden = config->hidden_latency_frames;
  device->speaker.is_mute = config->is_mute != 0;
  vd_asrc_init(&device->speaker.filter);
  ad_simulated_set_ppm(device, config->playback_ppm);
  *out = device;
  return 0;
}

void ad_simulated_destroy(ad_simulated *device) {
  free(device);
}

/// A random number up to `bound` (xorshift).
static uint32_t random_up_to(ad_simulated *device, uint32_t bound) {
  device->random ^= device->random << 13;
  device->random ^= device->random >> 17;
  device->random ^= device->random << 5;
  return bound ? (uint32_t)(device->random % (bound + 1)) : 0;
}

/// What the speaker's sound adds to the microphone at capture frame `frame`.
static float echo(const ad_simulated *device, uint64_t frame) {
  float sum = 0;
  // Frames before the first wrap around to parts of the ring that are still silent.
  uint64_t first = frame - device->config.echo_delay_frames;
  for (size_t i = 0; i < device->config.tap_count; i++)
    sum += device->taps[i] * ad_speaker_heard(&device->speaker, first - i);
  return device->config.echo_gain * sum;
}

/// The time at which the block that begins at `start` is read.
static uint64_t reading_time(ad_simulated *device, uint64_t start) {
  uint64_t due = start + VC_BLOCK_FRAMES + device->config.capture_waiting_frames;
  due += random_up_to(device, device->config.wake_jitter_frames);
  // A block that was late makes those behind it late.
  return due > device->speaker.now ? due : device->speaker.now;
}

/// An interruption, as the device tells it.
static void break_off(ad_simulated *device) {
  device->epoch++;
  vc_port_device_event(device->port, VC_EVENT_XRUN, (uint32_t)device->capture_frames);
}

/// Starts the speaker, anew when it was dropped or ran dry, with silence of its own.
static void start_speaker(ad_simulated *device) {
  ad_speaker *speaker = &device->speaker;
  if (device->is_started && !device->is_restarting && !speaker->is_dry)
    return;
  if (device->is_started) {
    if (!device->is_restarting)
      break_off(device);
    device->unplayed += ad_speaker_drop(speaker);
    device->inserted = device->config.playback_frames;
  }
  speaker->position = (double)speaker->written;
  speaker->is_dry = device->is_restarting = false;
  device->is_started = true;
  ad_speaker_write(speaker, NULL, device->config.playback_frames);
}

/// The delay as the driver tells it.
static uint32_t reported_delay(ad_simulated *device) {
  const ad_speaker *speaker = &device->speaker;
  uint64_t position = (uint64_t)speaker->position;
  if (device->config.report_quantum_frames > 1)
    position -= position % device->config.report_quantum_frames;
  int64_t delay = (int64_t)(speaker->written - position);
  uint32_t jitter = device->config.report_jitter_frames;
  delay += (int64_t)random_up_to(device, 2 * jitter) - (int64_t)jitter;
  return (uint32_t)(delay < 0 ? 0 : delay);
}

static void write_block(ad_simulated *device, const float *block, size_t frames) {
  uint32_t buffer = device->config.buffer_frames;
  size_t taken = frames;
  if (buffer) {
    double room = (double)buffer - ad_speaker_delay(&device->speaker);
    taken = room < 0 ? 0 : room < (double)frames ? (size_t)room : frames;
  }
  ad_speaker_write(&device->speaker, block, taken);
  device->unplayed = (uint32_t)(frames - taken);
  device->refused_frames += frames - taken;
}

int ad_simulated_step(ad_simulated *device, const float *near_end, float *microphone,
                      float *speaker) VD_NONBLOCKING {
  uint64_t start = device->capture_frames;
  uint64_t now = reading_time(device, start);
  if (!device->is_started)
    device->speaker.now = now;
  ad_speaker_play(&device->speaker, now);
  start_speaker(device);
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    speaker[i] = ad_speaker_heard(&device->speaker, start + i);
    microphone[i] = (near_end ? near_end[i] : 0) + echo(device, start + i);
  }
  vc_timing timing = {.now_ns = (int64_t)(now * 1000000 / 48),
                      .capture_frames = start,
                      .capture_delay_frames = (uint32_t)(now - start - VC_BLOCK_FRAMES),
                      .play_delay_frames = reported_delay(device),
                      .hidden_latency_frames = device->config.reported_latency_frames,
                      .epoch = device->epoch,
                      .unplayed_frames = device->unplayed,
                      .inserted_frames = device->inserted};
  device->unplayed = device->inserted = 0;
  device->in_flight = ad_speaker_delay(&device->speaker) + timing.capture_delay_frames;
  float block[VC_SPEAKER_FRAMES_MAX];
  size_t frames;
  int wakes = vc_port_step(device->port, microphone, NULL, block, &frames, &timing);
  write_block(device, block, frames);
  device->capture_frames += VC_BLOCK_FRAMES;
  return wakes;
}

void ad_simulated_lose_frames(ad_simulated *device, uint32_t frames) VD_NONBLOCKING {
  device->capture_frames += frames;
  device->is_restarting = true;
  break_off(device);
}

void ad_simulated_xrun(ad_simulated *device, int side, uint32_t frames) VD_NONBLOCKING {
  if (side & AD_SIMULATED_CAPTURE)
    device->capture_frames += frames;
  // The speaker played on meanwhile: as the audio thread does after a restart of the microphone,
  // the level is made up for with silence, or each break would bring it nearer to running dry.
  if (side == AD_SIMULATED_CAPTURE) {
    ad_speaker_write(&device->speaker, NULL, frames);
    device->inserted += frames;
  }
  if (side & AD_SIMULATED_PLAYBACK) {
    device->unplayed += ad_speaker_drop(&device->speaker);
    device->is_restarting = true;
  }
  break_off(device);
}

void ad_simulated_pause(ad_simulated *device, int side, uint32_t frames) VD_NONBLOCKING {
  ad_speaker *speaker = &device->speaker;
  if (side & AD_SIMULATED_PLAYBACK)
    speaker->pause += frames;
  // While the microphone's clock stands still the speaker goes on unheard.
  if (side & AD_SIMULATED_CAPTURE)
    speaker->position =
        fmin(speaker->position + (double)frames * speaker->speed, (double)speaker->written);
}

void ad_simulated_set_ppm(ad_simulated *device, double ppm) VD_NONBLOCKING {
  device->speaker.speed = 1 + ppm * 1e-6;
}

void ad_simulated_know(const ad_simulated *device, ad_simulated_truth *truth) VD_NONBLOCKING {
  const ad_speaker *speaker = &device->speaker;
  const double ahead = ad_speaker_delay(speaker) / speaker->speed + (double)speaker->pause;
  truth->next_heard_frame = (double)speaker->now + ahead + speaker->hidden;
  truth->in_flight_frames = device->in_flight;
  truth->underruns = speaker->underruns;
  truth->refused_frames = device->refused_frames;
}
