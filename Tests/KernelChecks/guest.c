#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "voice_codec.h"

/// Between two attempts to open a card that is on its way back.
enum { RETRY_MS = 50 };

int64_t guest_now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int guest_write(const char *path, const char *word) {
  const int file = open(path, O_WRONLY);
  if (file < 0)
    return -errno;
  const ssize_t written = write(file, word, strlen(word));
  const int result = written < 0 ? -errno : 0;
  (void)close(file);
  return result;
}

int guest_reopen(guest *talk, const char *capture, const char *playback, int patience_ms) {
  ad_device_close(talk->device);
  talk->device = NULL;
  ad_config names = {.prefill_periods = 5};
  (void)snprintf(names.capture, sizeof names.capture, "%s", capture);
  (void)snprintf(names.playback, sizeof names.playback, "%s", playback);
  const int64_t end = guest_now_ms() + patience_ms;
  char error[512] = "";
  int result;
  while ((result = ad_device_open(&talk->device, &names, talk->port, talk->wake, error,
                                  sizeof error)) < 0 &&
         guest_now_ms() < end)
    usleep(RETRY_MS * 1000);
  if (result < 0) {
    (void)printf("    %s\n", error);
    return result;
  }
  result = ad_device_start(talk->device);
  if (result == 0) {
    const ad_status status = guest_status(talk);
    (void)printf("    %s\n    %s\n", status.capture, status.playback);
  }
  return result;
}

int guest_begin(guest *made, const char *capture, const char *playback, int patience_ms) {
  *made = (guest){0};
  vc_config config = vc_config_default();
  // The signal must come through as it is; TCG is no place for the canceller either.
  config.cancels_echo = config.suppresses_noise = config.half_duplex = 0;
  CHECK(vc_port_create(&made->port, &config) == 0);
  CHECK(vc_port_start_recording(made->port) == 0);
  made->wake = ad_wake_create();
  return guest_reopen(made, capture, playback, patience_ms);
}

void guest_end(guest *talk) {
  const int64_t begun = guest_now_ms();
  ad_device_close(talk->device);
  // `stop()` returns within a second in every state.
  CHECK(guest_now_ms() - begun < 1000);
  vc_port_destroy(talk->port);
  ad_wake_destroy(talk->wake);
}

static void hear(guest *talk) {
  vc_heard heard[4];
  size_t count;
  while ((count = vc_port_take_recorded(talk->port, heard, 4)) > 0) {
    for (size_t h = 0; h < count; h++) {
      for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
        const float microphone = fabsf((float)heard[h].samples[2 * i] / 32768.0f);
        const float speaker = fabsf((float)heard[h].samples[2 * i + 1] / 32768.0f);
        talk->loudest_microphone = fmaxf(talk->loudest_microphone, microphone);
        talk->loudest_speaker = fmaxf(talk->loudest_speaker, speaker);
      }
    }
  }
}

static void fetch(guest *talk) {
  vd_packet packets[8];
  vc_event events[8];
  size_t count;
  ad_wake_clear(talk->wake);
  while ((count = vc_port_take_packets(talk->port, packets, 8)) > 0)
    talk->packets += count;
  while ((count = vc_port_take_events(talk->port, events, 8)) > 0) {
    for (size_t i = 0; i < count; i++) {
      talk->xrun_events += events[i].kind == VC_EVENT_XRUN;
      talk->lost_events += events[i].kind == VC_EVENT_DEVICE_LOST;
    }
  }
  hear(talk);
}

static uint64_t blocks(const guest *talk) {
  vc_counters counters;
  uint64_t dropped = 0;
  vc_port_counters(talk->port, &counters, &dropped);
  return counters.blocks;
}

uint64_t guest_pass(guest *talk, int duration_ms) {
  const uint64_t before = blocks(talk);
  const int64_t end = guest_now_ms() + duration_ms;
  while (guest_now_ms() < end) {
    struct pollfd wait = {.fd = talk->wake, .events = POLLIN};
    (void)poll(&wait, 1, 20);
    fetch(talk);
  }
  return blocks(talk) - before;
}

int guest_wait_lost(guest *talk, int patience_ms) {
  const int64_t end = guest_now_ms() + patience_ms;
  while (guest_status(talk).running && guest_now_ms() < end)
    (void)guest_pass(talk, 10);
  (void)guest_pass(talk, 10);
  return !guest_status(talk).running;
}

void guest_speak(guest *talk, uint32_t generation, int packets) {
  vd_encoder *encoder = NULL;
  CHECK(vd_encoder_create(&encoder, 32000, 0) == 0);
  for (int i = 0; i <= packets; i++) {
    vd_packet packet = {.generation = generation, .sequence = (uint32_t)i, .kind = VD_PACKET_END};
    if (i < packets) {
      float frame[VD_FRAME_SAMPLES];
      for (int s = 0; s < VD_FRAME_SAMPLES; s++)
        frame[s] = 0.5f * sinf(0.06f * (float)(i * VD_FRAME_SAMPLES + s));
      packet.kind = VD_PACKET_OPUS;
      packet.bytes =
          (uint16_t)vd_encoder_encode(encoder, frame, packet.payload, sizeof packet.payload);
    }
    CHECK(vc_port_send(talk->port, &packet) == 1);
  }
  vd_encoder_destroy(encoder);
}

void guest_forget_sound(guest *talk) {
  fetch(talk);
  talk->loudest_microphone = talk->loudest_speaker = 0;
}

ad_status guest_status(const guest *talk) {
  ad_status status;
  ad_device_status(talk->device, &status);
  return status;
}
