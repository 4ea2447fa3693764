#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "failing_creation.h"
#include "media_plane.h"
#include "voice_codec.h"

static const int64_t MS = 1000000;

static mt_plane *make_plane(uint32_t calls) {
  const mt_config config = {.calls_max = calls,
                            .vad_weights = NULL,
                            .lead_first_ms = 300,
                            .lead_ms = 400,
                            .bit_rate = 32000};
  mt_plane *plane = NULL;
  CHECK(mt_plane_create(&plane, &config) == 0);
  return plane;
}

static int16_t *make_speech(size_t count) {
  int16_t *speech = malloc(count * sizeof *speech);
  for (size_t i = 0; speech != NULL && i < count; i++) {
    speech[i] = (int16_t)(8000.0f * sinf(0.07f * (float)i));
  }
  return speech;
}

/// A packet of 20 ms of a tone.
static vd_packet make_packet(vd_encoder *encoder, uint32_t index) {
  float frame[VD_FRAME_SAMPLES];
  for (int i = 0; i < VD_FRAME_SAMPLES; i++) {
    frame[i] = 0.3f * sinf(0.03f * (float)(index * VD_FRAME_SAMPLES + (uint32_t)i));
  }
  vd_packet packet = {.sequence = index, .timestamp = index * VD_FRAME_SAMPLES, .kind = 1};
  const int bytes = vd_encoder_encode(encoder, frame, packet.payload, VD_PACKET_PAYLOAD_MAX);
  CHECK(bytes > 0);
  packet.bytes = (uint16_t)bytes;
  return packet;
}

CHECK_CASE(plane_survives_anything_a_device_and_a_router_may_do) {
  mt_plane *plane = make_plane(2);
  mt_call *call = NULL;
  CHECK(mt_call_open(plane, &call) == 0);
  vd_encoder *encoder = NULL;
  CHECK(vd_encoder_create(&encoder, 24000, 10) == 0);
  int16_t *speech = make_speech(48000);
  static const int rates[] = {8000, 16000, 22050, 24000, 44100, 48000, 7, 96000};
  uint32_t sequence = 0;
  uint32_t generation = 1;
  size_t heard = 0;
  size_t sent = 0;
  for (int round = 0; round < 6000; round++) {
    mt_plane_step(plane, round * 3 * MS);
    vd_packet packet = make_packet(encoder, sequence++);
    switch (checks_random_below(16)) {
    case 0:
      packet.sequence = checks_random();
      break;
    case 1:
      packet.timestamp = checks_random();
      break;
    case 2:
      packet.payload[checks_random_below(packet.bytes)] = (uint8_t)checks_random();
      break;
    case 3:
      packet.bytes = (uint16_t)(1 + checks_random_below(VD_PACKET_PAYLOAD_MAX));
      break;
    case 4:
      sequence += checks_random_below(80);
      break;
    case 5:
      packet.sequence -= checks_random_below(6);
      break;
    case 6:
      (void)mt_call_speak(call, generation, rates[checks_random_below(8)], speech,
                          checks_random_below(48000));
      break;
    case 7:
      (void)mt_call_speak_end(call, generation);
      generation += checks_random_below(3);
      break;
    case 8:
      if (round % 3 == 0) {
        mt_call_flush(call, generation);
      }
      break;
    default:
      break;
    }
    const int result = mt_call_receive(call, &packet);
    CHECK(result == 0 || result == -ENOBUFS);
    if (checks_random_below(4) != 0) {
      mt_hearing windows[8];
      const size_t count = mt_call_take_hearing(call, windows, 8);
      for (size_t i = 0; i < count; i++) {
        CHECK(windows[i].probability >= 0 && windows[i].probability <= 1);
        CHECK(windows[i].level >= 0 && windows[i].level <= 1);
        CHECK(windows[i].concealed <= VD_VAD_WINDOW_SAMPLES);
      }
      heard += count;
      vd_packet packets[8];
      sent += mt_call_take_packets(call, packets, 8);
    }
  }
  CHECK(heard > 100);
  CHECK(sent > 100);
  free(speech);
  vd_encoder_destroy(encoder);
  mt_plane_destroy(plane);
}

/// Takes from a call what there is; returns how much.
static size_t take_all(mt_call *call) {
  mt_hearing windows[8];
  vd_packet packets[8];
  size_t all = 0;
  size_t some = 0;
  do {
    some = mt_call_take_hearing(call, windows, 8) + mt_call_take_packets(call, packets, 8);
    all += some;
  } while (some > 0);
  return all;
}

CHECK_CASE(control_and_media_threads_share_calls_that_come_and_go) {
  enum { PLACES = 6, CALLS = 80 };
  mt_plane *plane = make_plane(PLACES);
  vd_encoder *encoder = NULL;
  CHECK(vd_encoder_create(&encoder, 24000, 10) == 0);
  int16_t *speech = make_speech(4800);
  mt_call *calls[PLACES] = {NULL};
  CHECK(mt_plane_start(plane) == 0);
  size_t taken = 0;
  uint32_t round = 0;
  for (int opened = 0; opened < CALLS; round++) {
    const uint32_t place = checks_random_below(PLACES);
    if (calls[place] == NULL) {
      const int result = mt_call_open(plane, &calls[place]);
      CHECK(result == 0 || result == -ENOSPC);
      opened += result == 0;
      if (result != 0) {
        sched_yield();
      }
      continue;
    }
    mt_call *call = calls[place];
    const vd_packet packet = make_packet(encoder, round);
    (void)mt_call_receive(call, &packet);
    (void)mt_call_speak(call, 1 + round / 8, 24000, speech, 4800);
    if (round % 8 == 7) {
      (void)mt_call_speak_end(call, 1 + round / 8);
      mt_call_flush(call, round / 8);
    }
    if (checks_random_below(2) == 0) {
      taken += take_all(call);
    }
    if (checks_random_below(5) == 0) {
      mt_call_close(call);
      calls[place] = NULL;
    }
  }
  mt_plane_stop(plane);
  for (int place = 0; place < PLACES; place++) {
    taken += calls[place] == NULL ? 0 : take_all(calls[place]);
  }
  CHECK(taken > 0);
  free(speech);
  vd_encoder_destroy(encoder);
  mt_plane_destroy(plane);
}

CHECK_CASE(descriptor_is_readable_as_long_as_something_waits) {
  mt_plane *plane = make_plane(1);
  mt_call *call = NULL;
  CHECK(mt_call_open(plane, &call) == 0);
  CHECK(mt_plane_start(plane) == 0);
  int16_t *speech = make_speech(2400);
  struct pollfd ready = {.fd = mt_plane_descriptor(plane), .events = POLLIN};
  size_t packets_sent = 0;
  for (uint32_t generation = 1; generation <= 50; generation++) {
    CHECK(mt_call_speak(call, generation, 24000, speech, 2400) == 2400);
    CHECK(mt_call_speak_end(call, generation) == 0);
    mt_call_flush(call, generation);
    for (int has_ended = 0; !has_ended;) {
      if (poll(&ready, 1, 30000) != 1) {
        CHECK(!"the descriptor tells of what waits");
        break;
      }
      vd_packet packet;
      const size_t count = mt_call_take_packets(call, &packet, 1);
      packets_sent += count;
      has_ended = count == 1 && packet.kind == VD_PACKET_END && packet.generation == generation;
    }
  }
  mt_plane_stop(plane);
  CHECK(packets_sent >= 50 * 6);
  CHECK(mt_call_counters(call).packets_sent == packets_sent);
  (void)take_all(call);
  CHECK(poll(&ready, 1, 0) == 0);
  free(speech);
  mt_plane_destroy(plane);
}

static int create_and_start_plane(void *unused) {
  (void)unused;
  const mt_config config = {
      .calls_max = 2, .lead_first_ms = 300, .lead_ms = 400, .bit_rate = 32000};
  mt_plane *plane = NULL;
  int result = mt_plane_create(&plane, &config);
  CHECK(result == 0 || plane == NULL);
  if (result == 0)
    result = mt_plane_start(plane);
  mt_plane_destroy(plane);
  return result;
}

static int open_call(void *plane) {
  mt_call *call = NULL;
  const int result = mt_call_open(plane, &call);
  CHECK(result == 0 || call == NULL);
  if (result == 0) {
    mt_call_close(call);
    mt_plane_step(plane, 0);
    mt_plane_reap(plane);
  }
  return result;
}

CHECK_CASE(plane_and_calls_without_memory_fail_cleanly_at_every_allocation) {
  (void)checks_fail_each_allocation("mt_plane_create", create_and_start_plane, NULL);
  (void)checks_fail_each_allocation("mt_plane_start", create_and_start_plane, NULL);
  mt_plane *plane = make_plane(1);
  CHECK(checks_fail_each_allocation("mt_call_open", open_call, plane) > 5);
  mt_plane_destroy(plane);
}

CHECK_CASE(speech_without_memory_is_refused_and_counted) {
  mt_plane *plane = make_plane(1);
  mt_call *call = NULL;
  CHECK(mt_call_open(plane, &call) == 0);
  const int16_t speech[480] = {0};
  size_t failing = 0;
  size_t spoken = 0;
  while (spoken == 0 && failing < 100) {
    failing += 1;
    checks_fail_allocation(failing);
    spoken = mt_call_speak(call, 1, 24000, speech, 480);
  }
  CHECK(spoken == 480 && failing > 5);
  CHECK(mt_call_counters(call).speech_refused == 480 * (failing - 1));
  mt_plane_destroy(plane);
}
