#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "audio_simulated.h"
#include "checks.h"
#include "voice_asrc.h"
#include "voice_port.h"

// What a device hides of its latency, found by the echo of the agent's own voice. The simulated
// room knows the truth; what the core says is held against it.

/// Promised of the playout clock: 2 ms.
static const double CLOCK_FRAMES = 96;
/// Of the agent's speech it takes so many blocks at most until the latency is found: 5 s.
enum { SECOND = 100, MINUTE = 60 * SECOND, FOUND_BLOCKS = 5 * SECOND };

typedef struct {
  vc_port *port;
  ad_simulated *device;
  uint64_t block;
  uint32_t sequence;
  float voice, breath; ///< of the agent's, low and high
} stand;

static stand begin(const ad_simulated_config *room, const vc_config *config) {
  stand made = {0};
  CHECK(vc_port_create(&made.port, config) == 0);
  CHECK(ad_simulated_create(&made.device, room, made.port) == 0);
  return made;
}

static void end(stand *made) {
  ad_simulated_destroy(made->device);
  vc_port_destroy(made->port);
}

/// What a core is by itself, less what takes long and has no part in this.
static vc_config plain(void) {
  vc_config config = vc_config_default();
  config.cancels_echo = VC_CANCELS_NOTHING;
  config.suppresses_noise = 0;
  return config;
}

/// 10 ms like speech: noise of a low and a high part, by syllables.
static void utter(float *out, uint64_t block, float level, float *low) {
  const float loudness = block % 23 < 16 ? level * (0.4f + 0.1f * (float)(block % 7)) : 0;
  for (int i = 0; i < VC_BLOCK_FRAMES; i++) {
    const float noise = (float)checks_random() / 4294967296.0f - 0.5f;
    *low += 0.15f * (noise - *low);
    out[i] = loudness * (*low + 0.1f * noise);
  }
}

/// 10 ms of the agent's speech.
static void say(stand *made, const float *samples) {
  vd_packet packet = {.generation = 1,
                      .sequence = made->sequence++,
                      .kind = VD_PACKET_PCM16,
                      .bytes = 2 * VC_BLOCK_FRAMES};
  for (int i = 0; i < VC_BLOCK_FRAMES; i++) {
    const int value = (int)lrintf(32767 * fminf(fmaxf(samples[i], -1), 1));
    packet.payload[2 * i] = (uint8_t)(value & 0xff);
    packet.payload[2 * i + 1] = (uint8_t)(value >> 8 & 0xff);
  }
  CHECK(vc_port_send(made->port, &packet) == 1);
}

/// 10 ms pass; the agent speaks the first 3 s of each 4, when it does at all.
/// - near_end: of the person; NULL for silence.
static void step(stand *made, bool speaks, const float *near_end) {
  float sound[VC_BLOCK_FRAMES], microphone[VC_BLOCK_FRAMES], speaker[VC_BLOCK_FRAMES];
  if (speaks && made->block % (4 * SECOND) < 3 * SECOND) {
    utter(sound, made->block, 1, &made->voice);
    say(made, sound);
  }
  (void)ad_simulated_step(made->device, near_end, microphone, speaker);
  made->block++;
  vd_packet packets[8];
  vc_event events[8];
  while (vc_port_take_packets(made->port, packets, 8) > 0) {
  }
  while (vc_port_take_events(made->port, events, 8) > 0) {
  }
}

static vc_playout playout_of(const stand *made) {
  vc_playout playout;
  vc_port_playout(made->port, &playout);
  return playout;
}

/// By how many frames the core errs about when the next sample written is heard.
static double clock_error(const stand *made) {
  const vc_playout playout = playout_of(made);
  ad_simulated_truth truth;
  ad_simulated_know(made->device, &truth);
  // The converter still holds half its filter ahead of that sample.
  const double said = (double)playout.now_frame + playout.delay_frames - VD_ASRC_TAPS / 2.0;
  return fabs(said - truth.next_heard_frame);
}

/// A table's reflection and the tail of a room of 0.3 s, behind the first sound.
static void fill_room(float *taps, size_t count) {
  taps[0] = 1;
  for (size_t i = 60; i < count; i++) {
    const float noise = (float)checks_random() / 4294967296.0f - 0.5f;
    taps[i] = 0.25f * noise * expf(-(float)i / 2100);
  }
  taps[110] = 0.5f;
}

/// Of the room's tail only the first 10 ms are computed: that is where an echo is looked for.
enum { TAPS = 480 };

/// Result: blocks until the clock is true, or -1; afterwards it stays so through whatever comes.
static int find(const ad_simulated_config *room, const vc_config *config) {
  stand made = begin(room, config);
  int found = -1;
  for (int b = 0; b < FOUND_BLOCKS && found < 0; b++) {
    step(&made, true, NULL);
    if (playout_of(&made).hidden_state == VC_HIDDEN_FOUND)
      found = b + 1;
  }
  double worst = 0;
  for (int b = 0; b < 8 * SECOND; b++) {
    // Breaks of either side and of both: what is hidden stays what it was.
    if (b == 2 * SECOND)
      ad_simulated_xrun(made.device, AD_SIMULATED_PLAYBACK, 0);
    if (b == 4 * SECOND)
      ad_simulated_xrun(made.device, AD_SIMULATED_CAPTURE, 960);
    if (b == 6 * SECOND)
      ad_simulated_lose_frames(made.device, 480);
    step(&made, true, NULL);
    worst = fmax(worst, clock_error(&made));
  }
  (void)printf("    %u frames hidden, %u in the device, %+.0f ppm: found after %.2f s, then within"
               " %.2f ms\n",
               room->hidden_latency_frames, room->playback_frames, room->playback_ppm,
               found / 100.0, worst / 48);
  CHECK(worst <= CLOCK_FRAMES);
  end(&made);
  return found;
}

CHECK_CASE(hidden_latency_is_found_by_the_agents_voice_and_the_clock_is_true_from_then_on) {
  static const uint32_t hidden[] = {2400, 4800, 7200, 9600, 14400};
  float taps[TAPS] = {0};
  fill_room(taps, TAPS);
  const vc_config config = plain();
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    const ad_simulated_config room = {.playback_frames = i % 2 ? 4800 : 1440,
                                      .hidden_latency_frames = hidden[i],
                                      .wake_jitter_frames = 100,
                                      .report_jitter_frames = 48,
                                      .playback_ppm = i % 2 ? 150 : -150,
                                      .echo_delay_frames = 72,
                                      .echo_gain = 0.3f,
                                      .taps = taps,
                                      .tap_count = TAPS,
                                      .seed = checks_random()};
    CHECK(find(&room, &config) > 0);
  }
}

CHECK_CASE(hidden_latency_is_found_by_the_core_as_it_is_by_itself) {
  float taps[TAPS] = {0};
  fill_room(taps, TAPS);
  vc_config config = vc_config_default();
  CHECK(config.finds_latency);
  for (int own = 0; own < 2; own++) {
    config.cancels_echo = own ? VC_CANCELS_ITSELF : VC_CANCELS_BY_LIBRARY;
    const ad_simulated_config room = {.playback_frames = 1440,
                                      .hidden_latency_frames = 7200,
                                      .echo_delay_frames = 72,
                                      .echo_gain = 0.3f,
                                      .taps = taps,
                                      .tap_count = TAPS,
                                      .seed = checks_random()};
    CHECK(find(&room, &config) > 0);
  }
}

CHECK_CASE(hidden_latency_that_is_not_looked_for_makes_the_clock_wrong_by_it) {
  vc_config config = plain();
  config.finds_latency = 0;
  const ad_simulated_config room = {.playback_frames = 1440,
                                    .hidden_latency_frames = 4800,
                                    .echo_delay_frames = 72,
                                    .echo_gain = 0.3f};
  stand made = begin(&room, &config);
  for (int b = 0; b < FOUND_BLOCKS; b++)
    step(&made, true, NULL);
  CHECK(playout_of(&made).hidden_state == VC_HIDDEN_CONFIGURED);
  CHECK(fabs(clock_error(&made) - 4800) <= CLOCK_FRAMES);
  end(&made);
}

/// Nothing is hidden and nothing must be found.
/// - what: the device, for the figure.
static void leave_alone(const ad_simulated_config *room, bool near_end_speaks, const char *what) {
  const vc_config config = plain();
  stand made = begin(room, &config);
  double worst = 0;
  float low = 0;
  for (int b = 0; b < MINUTE; b++) {
    float person[VC_BLOCK_FRAMES];
    utter(person, (uint64_t)b * 7 / 5, 1, &low);
    step(&made, true, near_end_speaks && b % 900 < 600 ? person : NULL);
    if (b > SECOND)
      worst = fmax(worst, clock_error(&made));
    CHECK(playout_of(&made).hidden_latency_frames == 0);
  }
  (void)printf("    %s, a minute: the clock within %.2f ms\n", what, worst / 48);
  CHECK(worst <= CLOCK_FRAMES);
  end(&made);
}

CHECK_CASE(nothing_is_corrected_where_nothing_is_hidden) {
  float taps[TAPS] = {0};
  fill_room(taps, TAPS);
  ad_simulated_config room = {.playback_frames = 1440,
                              .wake_jitter_frames = 100,
                              .playback_ppm = 100,
                              .taps = taps,
                              .tap_count = TAPS,
                              .seed = checks_random()};
  leave_alone(&room, true, "a headset without any echo, a person who talks");
  room.echo_gain = 0.003f;
  room.echo_delay_frames = 24;
  leave_alone(&room, true, "a headset that leaks, a person who talks");
  room.echo_gain = 0.3f;
  room.echo_delay_frames = 72;
  leave_alone(&room, true, "a speakerphone, a person who talks");
  // Three metres: it could as well be 8.5 ms that are hidden.
  room.echo_delay_frames = 480;
  leave_alone(&room, false, "a microphone at the other end of the room");
}

/// A second person's or a cue's sound of one pitch, which looks the same a period later.
CHECK_CASE(tones_tell_nothing_false) {
  const ad_simulated_config room = {
      .playback_frames = 1440, .echo_delay_frames = 72, .echo_gain = 0.3f, .seed = checks_random()};
  const vc_config config = plain();
  static const double pitches[] = {100, 440, 1000, 3000};
  for (size_t p = 0; p < sizeof pitches / sizeof *pitches; p++) {
    stand made = begin(&room, &config);
    uint32_t most = 0;
    for (int b = 0; b < 20 * SECOND; b++) {
      float sound[VC_BLOCK_FRAMES];
      for (int i = 0; i < VC_BLOCK_FRAMES; i++)
        sound[i] = 0.3f * (float)sin(2 * M_PI * pitches[p] * (b * 480.0 + i) / 48000);
      if (b % 100 < 60)
        say(&made, sound);
      step(&made, false, NULL);
      const uint32_t hidden = playout_of(&made).hidden_latency_frames;
      most = hidden > most ? hidden : most;
    }
    (void)printf("    %.0f Hz: at most %u frames\n", pitches[p], most);
    CHECK(most == 0);
    end(&made);
  }
}
