#ifndef VOICE_CORE_H
#define VOICE_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "voice_packet.h"
#include "voice_realtime.h"
#include "voice_vad.h"

VD_BEGIN_DECLS

/// Frames of one step: 10 ms at 48 kHz, mono.
#define VC_BLOCK_FRAMES 480
/// Frames that one step writes at most: VC_BLOCK_FRAMES, and a few more or less while the speaker's
/// clock differs from the microphone's.
#define VC_SPEAKER_FRAMES_MAX 496
/// Packets of the agent's speech that wait at most, 20 ms each. At the bound the newest is refused.
#define VC_QUEUE_PACKETS 512
/// Packets one step takes at most.
#define VC_PACKETS_IN_MAX 64
/// Packets one step makes at most: one, and those of a gap of up to 200 ms in the capture.
#define VC_PACKETS_OUT_MAX 16
/// Events one step makes at most; more are dropped and counted.
#define VC_EVENTS_MAX 32

/// The voice core of one device: playback queue, playout clock, echo canceller, half-duplex gate,
/// speech detector, encoder. No I/O, no clock, no thread inside; the same input gives the same
/// output, bit for bit.
typedef struct vc_core vc_core;

/// Cancellers: none, libwebrtc-audio-processing's, or our own (which does no noise suppression).
enum { VC_CANCELS_NOTHING, VC_CANCELS_BY_LIBRARY, VC_CANCELS_ITSELF };

/// When silence is sent while the agent is heard: never, always, or as long as our own canceller
/// has not shown that the agent's voice is not taken for a person's, and again when it fails.
enum { VC_HALF_DUPLEX_NEVER, VC_HALF_DUPLEX_ALWAYS, VC_HALF_DUPLEX_UNTIL_SHOWN };

/// How a core behaves for its whole life.
typedef struct {
  const vd_vad_weights *vad_weights; ///< must outlive the core; NULL judges by energy
  int32_t bit_rate;                  ///< of the uplink, bits per second
  int32_t expected_loss_pct;         ///< of the uplink, for in-band redundancy
  uint16_t participant;              ///< written into every packet of the uplink
  uint8_t cancels_echo;              ///< VC_CANCELS_...
  uint8_t finds_latency;             ///< nonzero: looks for what the device hides of its latency
  uint8_t suppresses_noise;          ///< nonzero: noise suppression
  uint8_t listens;                   ///< zero: the microphone is only a clock; nothing is sent up
  uint8_t follows_drift;             ///< zero: as many frames are written as are read
  uint8_t half_duplex;               ///< VC_HALF_DUPLEX_...
  uint8_t yields;                    ///< nonzero: the agent's voice yields to who speaks over it
} vc_config;

/// When this step happens, on the device's own clock. All counts are frames at 48 kHz.
typedef struct {
  int64_t now_ns;                 ///< monotonic; only carried, never decided upon
  uint64_t capture_frames;        ///< index of the block's first frame; a jump is lost capture time
  uint32_t capture_delay_frames;  ///< captured already, behind this block: how late it is read
  uint32_t play_delay_frames;     ///< in the device ahead of what this step writes
  uint32_t hidden_latency_frames; ///< between the device's report and the air
  uint32_t speaker;               ///< another number is another device: what one hides is its own
  uint32_t epoch;                 ///< counts the device's starts; a new one is believed at once
  uint32_t unplayed_frames;       ///< of those written last, never to be heard; at most what is not
  uint32_t inserted_frames;       ///< silence of the device's own, ahead of what this step writes
  uint32_t target_frames;         ///< that both delays together are to hold; 0: not known
  uint8_t speaker_is_gone;        ///< nonzero: nobody can hear; the agent's speech waits
} vc_timing;

/// What one step takes. Mute and flush are states, so that no queue can lose one.
typedef struct {
  const float *microphone; ///< VC_BLOCK_FRAMES samples, -1..1
  const float *reference;  ///< likewise, what the speaker plays, wired back; NULL: no such channel
  const vd_packet *packets;
  size_t packet_count;  ///< at most VC_PACKETS_IN_MAX; more are refused and counted
  uint32_t flush_below; ///< everything of generations below is dropped; never falls
  uint32_t releases;    ///< counts up: the person who made the voice stop said nothing after all
  uint8_t muted;        ///< nonzero: nothing of the microphone leaves
  vc_timing timing;
} vc_input;

/// How much of one generation of the agent's speech was heard.
typedef struct {
  uint64_t played_frames; ///< of the generation itself; gaps do not count
  uint32_t generation;    ///< 0: none yet
  uint32_t started_at;    ///< capture frame at which its first sample over -40 dBFS was heard
  uint8_t has_started;
  uint8_t finished; ///< the last sample of an ended generation was heard
  uint8_t flushed;  ///< cut; it never finishes
} vc_progress;

/// Kinds of `vc_event`. Timestamps are capture frames modulo 2^32.
enum {
  VC_EVENT_SPEAKING_STARTED = 1,     ///< the agent began to be heard
  VC_EVENT_SPEAKING_STOPPED = 2,     ///< the agent's last sample was heard
  VC_EVENT_PLAYED = 3,               ///< `progress`: at the start, every 200 ms, at the end
  VC_EVENT_LOCAL_SPEECH_STARTED = 4, ///< back-dated to the first voiced sample
  VC_EVENT_LOCAL_SPEECH_STOPPED = 5, ///< back-dated behind the last voiced sample
  VC_EVENT_LEVELS = 6,               ///< every 100 ms
  VC_EVENT_XRUN = 7,                 ///< from the device: the pair was restarted
  VC_EVENT_DEVICE_LOST = 8,          ///< from the device: nothing follows
  VC_EVENT_BARGE_IN = 9,             ///< `progress`: the person speaks, the agent's voice waits
  VC_EVENT_BARGE_IN_CONFIRMED = 10,  ///< it will not go on: 512 ms were spoken over it
  VC_EVENT_BARGE_IN_OVER = 11,       ///< it was nothing; the agent's voice goes on where it stopped
  VC_EVENT_SPEAKER_LOST = 12,        ///< from the device: the microphone goes on without it
  VC_EVENT_MICROPHONE_LOST = 13,     ///< from the device: the speaker goes on without it
  VC_EVENT_FULL_DUPLEX = 14,         ///< cancelling was shown: the agent can be spoken over
  VC_EVENT_HALF_DUPLEX = 15,         ///< it failed: silence is sent while the agent is heard
};

typedef struct {
  uint32_t kind;
  uint32_t timestamp;
  vc_progress progress;   ///< of VC_EVENT_PLAYED and the barge-ins
  float microphone_level; ///< of VC_EVENT_LEVELS, 0..1
  float speaker_level;    ///< of VC_EVENT_LEVELS, 0..1, as heard
} vc_event;

/// What one step gives.
typedef struct {
  float speaker[VC_SPEAKER_FRAMES_MAX];
  size_t speaker_frames; ///< of `speaker`, on the playback device's clock
  size_t packet_count;
  size_t event_count;
  vc_event events[VC_EVENTS_MAX];
  vd_packet packets[VC_PACKETS_OUT_MAX];
} vc_output;

/// What happened at the bounds, since creation.
typedef struct {
  uint64_t blocks;
  uint64_t concealed_packets; ///< lost, and made up from redundancy or extrapolated
  uint64_t skipped_packets;   ///< lost in a hole too long to conceal
  uint64_t late_packets;      ///< came after their time, or twice
  uint64_t stale_packets;     ///< of a flushed generation
  uint64_t refused_packets;   ///< malformed, or the queue was full
  uint64_t underruns;         ///< speech ran out before its end
  uint64_t dropped_events;
  uint64_t capture_gaps; ///< jumps of the capture index
} vc_counters;

/// How well the difference between the two clocks is known.
enum {
  VC_DRIFT_UNKNOWN = 0, ///< the device was just started
  VC_DRIFT_LOCKING = 1,
  VC_DRIFT_LOCKED = 2, ///< within 1 ppm
};

/// Where the hidden latency in force comes from.
enum {
  VC_HIDDEN_UNKNOWN = 0,
  VC_HIDDEN_CONFIGURED = 1, ///< as the device gives it
  VC_HIDDEN_FOUND = 2,      ///< measured by the echo; to be kept for this device
};

/// What the canceller takes for that which the speaker plays.
enum {
  VC_REFERENCE_WRITTEN = 0, ///< what was written, by the playout clock
  VC_REFERENCE_WIRED = 1,   ///< the device's own channel, after it has proved to be one
  VC_REFERENCE_REFUSED = 2, ///< what was written: the channel carries something else
};

/// The playout clock at one moment.
typedef struct {
  uint64_t now_frame;    ///< capture frame of now
  uint32_t delay_frames; ///< between writing a sample and hearing it
  uint32_t queued_packets;
  uint64_t next_capture_frame; ///< with which the next block should begin
  uint32_t epoch;              ///< of the last step
  vc_progress progress;        ///< of the newest generation heard
  float drift_ppm;             ///< by which the speaker's clock runs faster than the microphone's
  uint32_t hidden_latency_frames; ///< in force, between the device's report and the air
  uint8_t audible;                ///< the agent is heard now
  uint8_t drift_state;            ///< VC_DRIFT_...
  uint8_t hidden_state;           ///< VC_HIDDEN_...
  uint8_t reference_state;        ///< VC_REFERENCE_...
  uint8_t half_duplex;            ///< nonzero: silence is sent while the agent is heard
} vc_playout;

/// What one block of 10 ms sounded like, both sides at the same time, for a recording.
typedef struct {
  uint64_t capture_frames;              ///< index of the first frame
  int16_t samples[2 * VC_BLOCK_FRAMES]; ///< microphone (silent while muted), speaker as heard, ...
} vc_heard;

/// The defaults: 24 kbit/s, 10 % loss, energy detector, the library's canceller, everything else
/// on.
vc_config vc_config_default(void);

/// Creates a core. Result: 0, -ENOMEM or -EINVAL. Role: any; allocates everything it ever needs.
int vc_core_create(vc_core **out, const vc_config *config);
void vc_core_destroy(vc_core *core);

/// Whether the core's memory is locked, so that no page of it can be missing. Of what the libraries
/// keep for themselves nothing is. Role: any.
int vc_core_is_locked(const vc_core *core);

/// Lets 10 ms pass. Role: the device's one thread.
void vc_core_step(vc_core *core, const vc_input *input, vc_output *output) VD_NONBLOCKING;

/// Writes down what was heard during the last step's block.
/// - microphone: the block that step took.
/// Role: the device's one thread, between two steps.
void vc_core_hear(const vc_core *core, const float *microphone, vc_heard *heard) VD_NONBLOCKING;

/// Reads the playout clock as of the last step. Role: any; never waits for the audio thread.
void vc_core_playout(const vc_core *core, vc_playout *playout);
/// Reads the counters as of the last step. Role: any; never waits for the audio thread.
void vc_core_counters(const vc_core *core, vc_counters *counters);

VD_END_DECLS

#endif
