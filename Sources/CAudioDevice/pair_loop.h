#ifndef AD_PAIR_LOOP_H
#define AD_PAIR_LOOP_H

#include <stdatomic.h>

#include "alsa_open.h"
#include "capture_clock.h"
#include "microphone_watch.h"
#include "pair_level.h"

/// What a block from the microphone becomes; in the product a step of the voice core.
/// - microphone: VC_BLOCK_FRAMES samples.
/// - reference: likewise, of the wired reference channel; NULL where there is none.
/// - speaker: room for VC_SPEAKER_FRAMES_MAX samples; `*speaker_frames` receives how many there
/// are. Result: 1 when the application should be woken, else 0.
typedef int (*ad_step)(void *context, const float *microphone, const float *reference,
                       float *speaker, size_t *speaker_frames,
                       const vc_timing *timing) VD_NONBLOCKING;
/// Tells an event of the device itself.
typedef void (*ad_tell)(void *context, uint32_t kind, uint32_t timestamp) VD_NONBLOCKING;

/// What the audio thread counts; any thread may read it.
typedef struct {
  _Atomic uint64_t xruns, spurious_wakes, wakes, stuck;
  _Atomic uint64_t refused_frames, lost_frames, unplayed_frames, inserted_frames, skipped_frames;
  _Atomic uint64_t silences;
  _Atomic uint64_t stalls; ///< times the microphone's clock stood still without an overrun
  _Atomic uint64_t restarts[2], resumes[2], failures[2]; ///< microphone, speaker
  _Atomic uint64_t losses[2], returns[2];                ///< of one while the other went on
  _Atomic uint32_t is_running[2], is_gone[2];
  _Atomic uint32_t microphone_is_silent;
  _Atomic uint32_t play_delay_frames, in_flight_frames, prefill_frames;
} ad_loop_counters;

/// The audio thread: capture is the clock, each block read makes one block written.
typedef struct {
  ad_pair pair;
  const ad_alsa_calls *calls;
  ad_step step;
  ad_tell tell;
  void *context; ///< of the two
  int wake;
  int stop;
  _Atomic uint32_t hidden_latency_frames;
  _Atomic uint32_t speaker;
  uint32_t prefill_frames; ///< wanted at the start
  bool is_untimed;         ///< its clock is not held against the time
  ad_pcm *absent[2];       ///< stands in for what is gone; NULL: without it the device is lost
  _Atomic(ad_pcm *) offered[2], retired[2]; ///< see pair_exchange.h
  _Atomic(const char *) gone_reason[2];     ///< why a direction is gone while the other goes on
  uint64_t capture_frames;                  ///< index of the next block's first frame
  uint32_t epoch; ///< counts whatever moves speaker and microphone against each other
  char lost_reason[AD_TEXT_BYTES];
  ad_loop_counters counters;

  // Of the running thread alone:
  ad_pair_recovery recovery;
  ad_level level;
  ad_microphone_watch watch;
  ad_capture_clock clock;
  bool is_absent[2];        ///< something stands in for it
  bool has_run[2];          ///< microphone, speaker
  int errors[2];            ///< that calls gave since the last look
  bool moved[2];            ///< since the last look
  uint64_t anchor_frames;   ///< capture frame of "now" at `anchor_ns`
  int64_t anchor_ns;        ///< 0: the microphone never ran
  long waiting_frames;      ///< in the microphone when it was last asked
  uint32_t unplayed_frames; ///< to be told with the next step
  uint32_t inserted_frames; ///< likewise
  uint32_t last_insertion;  ///< frames of silence put in last
  uint32_t since_insertion; ///< frames of the core written after them
  uint32_t false_wakes;     ///< in a row, without a block between
  uint32_t off_level;       ///< blocks in a row that found the level wrong
  bool must_balance;        ///< the microphone was restarted: the speaker fell behind meanwhile
  bool wrote_silence;       ///< with the last block
  bool speaker_is_empty;    ///< what it held when it stopped is accounted for
  int64_t dry_ns;           ///< when it was found to have run dry; 0: it has not
  bool silence_restart;     ///< the next restart of the microphone is no xrun
} ad_pair_loop;

/// Index of the arrays above.
enum { AD_MICROPHONE = 0, AD_SPEAKER = 1 };

/// Adds to a counter of which this thread is the only writer.
static inline void ad_count(_Atomic uint64_t *counter, uint64_t more) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                        memory_order_relaxed);
}

/// Works out the level anew, for another PCM. Role: the audio thread.
void ad_pair_begin_level(ad_pair_loop *loop) VD_NONBLOCKING;

/// Runs until `stop` is readable or the device is lost (then `lost_reason` says why).
void ad_pair_loop_run(ad_pair_loop *loop) VD_NONBLOCKING;

#endif
