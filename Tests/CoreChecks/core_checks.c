#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "audio_simulated.h"
#include "checks.h"
#include "failing_creation.h"
#include "silero_file.h"
#include "voice_codec.h"
#include "voice_port.h"

/// A core, the queues around it, and a device with a room around those.
typedef struct {
  vc_port *port;
  ad_simulated *device;
  vd_encoder *encoder;
  uint32_t sequence;
  uint64_t voice_frames;
  size_t packets;
  size_t events[VC_EVENT_BARGE_IN_OVER + 1];
  vc_progress last;
} conversation;

static conversation begin(const vc_config *config) {
  conversation talk = {0};
  CHECK(vc_port_create(&talk.port, config) == 0);
  const ad_simulated_config room = {
      .playback_frames = 1440, .echo_delay_frames = 96, .echo_gain = 0.5f};
  CHECK(ad_simulated_create(&talk.device, &room, talk.port) == 0);
  CHECK(vd_encoder_create(&talk.encoder, 24000, 10) == 0);
  return talk;
}

static void end(conversation *talk) {
  vd_encoder_destroy(talk->encoder);
  ad_simulated_destroy(talk->device);
  vc_port_destroy(talk->port);
}

/// Sends `count` packets of a tone, 20 ms each, and the generation's end. Result: how many it took.
static size_t speak(conversation *talk, uint32_t generation, size_t count) {
  size_t taken = 0;
  for (size_t i = 0; i <= count; i++) {
    vd_packet packet = {
        .generation = generation, .sequence = talk->sequence++, .kind = VD_PACKET_END};
    if (i < count) {
      float frame[VD_FRAME_SAMPLES];
      for (size_t s = 0; s < VD_FRAME_SAMPLES; s++)
        frame[s] = 0.3f * sinf(0.03f * (float)(i * VD_FRAME_SAMPLES + s));
      const int bytes =
          vd_encoder_encode(talk->encoder, frame, packet.payload, sizeof packet.payload);
      CHECK(bytes > 0);
      packet.kind = VD_PACKET_OPUS;
      packet.bytes = (uint16_t)bytes;
    }
    taken += (size_t)vc_port_send(talk->port, &packet);
  }
  return taken;
}

static void fetch(conversation *talk) {
  vd_packet packets[8];
  vc_event events[8];
  size_t count = 0;
  while ((count = vc_port_take_packets(talk->port, packets, 8)) > 0)
    talk->packets += count;
  while ((count = vc_port_take_events(talk->port, events, 8)) > 0) {
    for (size_t i = 0; i < count; i++) {
      talk->events[events[i].kind]++;
      if (events[i].kind == VC_EVENT_PLAYED)
        talk->last = events[i].progress;
    }
  }
}

/// Lets time pass while the person hums. Result: whether every sample at the speaker was sane.
static int pass(conversation *talk, size_t blocks) {
  int is_sane = 1;
  for (size_t b = 0; b < blocks; b++) {
    float voice[VC_BLOCK_FRAMES];
    float microphone[VC_BLOCK_FRAMES];
    float speaker[VC_BLOCK_FRAMES];
    for (size_t i = 0; i < VC_BLOCK_FRAMES; i++, talk->voice_frames++)
      voice[i] = 0.2f * sinf(0.011f * (float)(talk->voice_frames % 100000));
    (void)ad_simulated_step(talk->device, voice, microphone, speaker);
    for (size_t i = 0; i < VC_BLOCK_FRAMES; i++)
      is_sane &= fabsf(speaker[i]) < 2;
    fetch(talk);
  }
  return is_sane;
}

static void converse(const vc_config *config) {
  conversation talk = begin(config);
  CHECK(vc_port_start_recording(talk.port) == 0);
  CHECK(pass(&talk, 20));
  CHECK(speak(&talk, 1, 25) == 26);
  CHECK(pass(&talk, 80));
  CHECK(talk.last.generation == 1 && talk.last.finished && talk.last.played_frames == 24000);
  CHECK(speak(&talk, 2, 100) == 101);
  CHECK(pass(&talk, 50));
  vc_port_flush(talk.port, 3);
  CHECK(pass(&talk, 20));
  CHECK(talk.last.generation == 2 && talk.last.flushed && !talk.last.finished);
  CHECK(speak(&talk, 3, 10) == 11);
  vc_port_set_muted(talk.port, 1);
  ad_simulated_lose_frames(talk.device, 3333);
  CHECK(pass(&talk, 60));
  vc_port_set_muted(talk.port, 0);
  CHECK(pass(&talk, 40));
  CHECK(talk.last.generation == 3 && talk.last.finished);
  CHECK(talk.events[VC_EVENT_SPEAKING_STARTED] == 3);
  CHECK(talk.events[VC_EVENT_SPEAKING_STOPPED] == 3);
  CHECK(talk.events[VC_EVENT_XRUN] == 1);
  CHECK(talk.packets >= 134 && talk.packets <= 140);
  vc_heard heard[4];
  size_t blocks = 0;
  size_t count = 0;
  while ((count = vc_port_take_recorded(talk.port, heard, 4)) > 0)
    blocks += count;
  CHECK(blocks == VC_PORT_RECORDED_BLOCKS);
  CHECK(vc_port_dropped_recorded(talk.port) == 270 - VC_PORT_RECORDED_BLOCKS);
  end(&talk);
}

CHECK_CASE(core_never_blocks_in_a_conversation) {
  const vc_config config = vc_config_default();
  converse(&config);
}

CHECK_CASE(core_never_blocks_with_the_network_as_its_detector) {
  silero_file file = silero_file_make();
  vd_vad_weights *weights = NULL;
  CHECK(vd_vad_weights_load(&weights, file.path, NULL, 0) == 0);
  vc_config config = vc_config_default();
  config.vad_weights = weights;
  converse(&config);
  vd_vad_weights_release(weights);
  silero_file_remove(&file);
}

CHECK_CASE(queues_around_the_core_hold_their_bounds) {
  vc_config config = vc_config_default();
  config.cancels_echo = config.suppresses_noise = 0;
  conversation talk = begin(&config);
  // Nobody steps: the queue into the core fills, and the rest is refused and counted.
  CHECK(speak(&talk, 1, VC_QUEUE_PACKETS + 99) == VC_QUEUE_PACKETS);
  float microphone[VC_BLOCK_FRAMES];
  float speaker[VC_BLOCK_FRAMES];
  // Nobody fetches: packets on the way up stop at their bound.
  for (int block = 0; block < 2 * VC_PORT_UPLINK_PACKETS + 200; block++)
    (void)ad_simulated_step(talk.device, NULL, microphone, speaker);
  vc_counters counters;
  uint64_t dropped = 0;
  vc_port_counters(talk.port, &counters, &dropped);
  CHECK(counters.refused_packets == 100);
  CHECK(dropped >= 90 && dropped <= 110);
  fetch(&talk);
  CHECK(talk.packets == VC_PORT_UPLINK_PACKETS);
  for (int i = 0; i < VC_PORT_EVENTS + 5; i++)
    vc_port_device_event(talk.port, VC_EVENT_XRUN, 0);
  fetch(&talk);
  CHECK(talk.events[VC_EVENT_XRUN] == VC_PORT_EVENTS);
  end(&talk);
}

typedef struct {
  conversation talk;
  _Atomic int is_over;
} shared_talk;

/// What an audio thread does, as fast as it goes.
static void *step_on(void *context) {
  shared_talk *shared = context;
  float microphone[VC_BLOCK_FRAMES];
  float speaker[VC_BLOCK_FRAMES];
  for (int block = 0; block < 1500; block++) {
    (void)ad_simulated_step(shared->talk.device, NULL, microphone, speaker);
    if (block % 300 == 299)
      ad_simulated_lose_frames(shared->talk.device, 1000);
  }
  atomic_store(&shared->is_over, 1);
  return NULL;
}

/// What a recorder's thread does.
static void *record_on(void *context) {
  shared_talk *shared = context;
  vc_heard *heard = malloc(16 * sizeof *heard);
  uint64_t next = 0;
  int breaks = 0;
  while (!atomic_load(&shared->is_over)) {
    const size_t count = vc_port_take_recorded(shared->talk.port, heard, 16);
    for (size_t i = 0; i < count; i++) {
      breaks += heard[i].capture_frames < next;
      next = heard[i].capture_frames + VC_BLOCK_FRAMES;
    }
  }
  CHECK(breaks == 0);
  free(heard);
  return NULL;
}

CHECK_CASE(device_application_and_recorder_share_a_port) {
  vc_config config = vc_config_default();
  config.cancels_echo = config.suppresses_noise = 0;
  shared_talk shared = {.talk = begin(&config)};
  CHECK(vc_port_start_recording(shared.talk.port) == 0);
  pthread_t device;
  pthread_t recorder;
  CHECK(pthread_create(&device, NULL, step_on, &shared) == 0);
  CHECK(pthread_create(&recorder, NULL, record_on, &shared) == 0);
  uint32_t generation = 1;
  int torn = 0;
  for (int round = 0; !atomic_load(&shared.is_over); round++) {
    if (round % 4 == 0)
      (void)speak(&shared.talk, generation, 5);
    if (round % 9 == 8)
      vc_port_flush(shared.talk.port, ++generation);
    vc_port_set_muted(shared.talk.port, round % 7 == 0);
    fetch(&shared.talk);
    vc_playout playout;
    vc_port_playout(shared.talk.port, &playout);
    // Written together: a snapshot of two moments would break the sum.
    torn += playout.now_frame != playout.next_capture_frame;
    vc_counters counters;
    uint64_t dropped = 0;
    vc_port_counters(shared.talk.port, &counters, &dropped);
  }
  CHECK(pthread_join(device, NULL) == 0);
  CHECK(pthread_join(recorder, NULL) == 0);
  CHECK(torn == 0);
  fetch(&shared.talk);
  CHECK(shared.talk.packets > 0);
  CHECK(shared.talk.events[VC_EVENT_XRUN] == 5);
  end(&shared.talk);
}

static int create_port(void *config) {
  vc_port *port = NULL;
  const int result = vc_port_create(&port, config);
  CHECK(result == 0 || port == NULL);
  vc_port_destroy(port);
  return result;
}

CHECK_CASE(port_without_memory_fails_cleanly_at_every_allocation) {
  vc_config config = vc_config_default();
  const size_t with_residual = checks_fail_each_allocation("vc_port_create", create_port, &config);
  config.cancels_echo = config.suppresses_noise = 0;
  const size_t without = checks_fail_each_allocation("vc_port_create", create_port, &config);
  CHECK(with_residual > without && without > 10);
}

CHECK_CASE(port_with_the_network_fails_cleanly_without_memory) {
  silero_file file = silero_file_make();
  vd_vad_weights *weights = NULL;
  CHECK(vd_vad_weights_load(&weights, file.path, NULL, 0) == 0);
  vc_config config = vc_config_default();
  config.vad_weights = weights;
  (void)checks_fail_each_allocation("vc_port_create", create_port, &config);
  vd_vad_weights_release(weights);
  silero_file_remove(&file);
}

static int create_core(void *config) {
  vc_core *core = NULL;
  const int result = vc_core_create(&core, config);
  CHECK(result == 0 || core == NULL);
  vc_core_destroy(core);
  return result;
}

CHECK_CASE(core_without_memory_fails_cleanly_at_every_allocation) {
  vc_config config = vc_config_default();
  (void)checks_fail_each_allocation("vc_core_create", create_core, &config);
  config.cancels_echo = VC_CANCELS_ITSELF;
  config.half_duplex = VC_HALF_DUPLEX_UNTIL_SHOWN;
  (void)checks_fail_each_allocation("vc_core_create", create_core, &config);
}

static int create_simulated(void *port) {
  const float taps[4] = {0.5f};
  const ad_simulated_config room = {
      .playback_frames = 1440, .echo_delay_frames = 96, .taps = taps, .tap_count = 4};
  ad_simulated *device = NULL;
  const int result = ad_simulated_create(&device, &room, port);
  CHECK(result == 0 || device == NULL);
  ad_simulated_destroy(device);
  return result;
}

CHECK_CASE(simulated_device_without_memory_fails_cleanly_at_every_allocation) {
  const vc_config config = vc_config_default();
  vc_port *port = NULL;
  CHECK(vc_port_create(&port, &config) == 0);
  (void)checks_fail_each_allocation("ad_simulated_create", create_simulated, port);
  vc_port_destroy(port);
}

static int record(void *config) {
  vc_port *port = NULL;
  // Its own allocations are another case's.
  const int created = vc_port_create(&port, config);
  const int result = created == 0 ? vc_port_start_recording(port) : created;
  vc_port_destroy(port);
  return result;
}

CHECK_CASE(recording_without_memory_leaves_the_conversation_alone) {
  vc_config config = vc_config_default();
  config.cancels_echo = config.suppresses_noise = 0;
  (void)checks_fail_each_allocation("vc_port_start_recording", record, &config);
  conversation talk = begin(&config);
  checks_fail_allocation(1);
  CHECK(vc_port_start_recording(talk.port) == -ENOMEM);
  CHECK(pass(&talk, 2));
  CHECK(vc_port_start_recording(talk.port) == 0);
  CHECK(pass(&talk, 2));
  vc_heard heard;
  CHECK(vc_port_take_recorded(talk.port, &heard, 1) == 1);
  end(&talk);
}

CHECK_CASE(core_refuses_what_it_cannot_be) {
  vc_config config = vc_config_default();
  vc_core *core = NULL;
  CHECK(vc_core_create(NULL, &config) == -EINVAL);
  CHECK(vc_core_create(&core, NULL) == -EINVAL);
  config.bit_rate = 0;
  CHECK(vc_core_create(&core, &config) == -EINVAL);
  config = vc_config_default();
  config.expected_loss_pct = -1;
  CHECK(vc_core_create(&core, &config) == -EINVAL);
  CHECK(core == NULL);
  vc_core_destroy(NULL);
  vc_port_destroy(NULL);
}
