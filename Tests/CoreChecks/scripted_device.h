#ifndef SCRIPTED_DEVICE_H
#define SCRIPTED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pair_loop.h"

// A pair of PCMs in virtual time, under the audio thread's table of calls: everything that a driver
// may do, and some that it must not. One device at a time; one thread. The microphone's samples and
// the core's are numbered, so that what was captured, played and heard is known exactly.

/// What goes wrong.
typedef enum {
  FAULT_NONE,
  FAULT_XRUN,            ///< stops with -EPIPE
  FAULT_SUSPEND,         ///< resume works
  FAULT_SUSPEND_AGAIN,   ///< resume answers "try again" three times, then works
  FAULT_SUSPEND_NEVER,   ///< resume answers "try again" for ever; a restart works
  FAULT_SUSPEND_LIES,    ///< resume answers 0 and the state stays
  FAULT_STALL,           ///< the clock stands still for `length_ns`
  FAULT_BAD_STATE,       ///< three calls answer -EBADFD
  FAULT_INPUT_OUTPUT,    ///< the next three starts answer -EIO, after an xrun
  FAULT_PREPARE_FAILS,   ///< the next five prepares fail, after an xrun
  FAULT_STATE_LIES,      ///< an xrun, and the state says it runs
  FAULT_POLL_ALWAYS,     ///< for `length_ns` poll is ready at once, with nothing there
  FAULT_POLL_NEVER,      ///< for `length_ns` poll is never ready, with frames there
  FAULT_NONSENSE_REPORT, ///< for `length_ns` delays and stamps are absurd
  FAULT_ZEROS,           ///< the microphone delivers exact zeros for `length_ns`
  FAULT_GONE,            ///< unplugged
  FAULT_BACK,            ///< plugged in again: the application opens it and hands it over
  FAULT_KINDS
} fault_kind;

/// When it happens.
typedef enum {
  FAULT_AT_TIME,
  FAULT_AT_PREPARE ///< at the `after`-th prepare of that side
} fault_moment;

typedef struct {
  fault_kind kind;
  int side; ///< AD_MICROPHONE or AD_SPEAKER
  fault_moment moment;
  int64_t at_ns; ///< from the beginning
  uint32_t after;
  int64_t length_ns;
  bool is_done;
} scripted_fault;

#define SCRIPTED_FAULTS_MAX 4096
/// Core frames whose fate is kept: 30 s.
#define SCRIPTED_FRAMES_MAX 1440000

typedef struct {
  uint32_t rate_hz; ///< 48,000 where it is 0
  uint32_t period, buffer;
  double speaker_ppm;       ///< by which the speaker's clock is fast
  uint32_t codec_frames;    ///< delay behind the speaker's buffer, reported
  uint32_t prefill_frames;  ///< 1,440 where it is 0
  int64_t stop_ns;          ///< when the thread is told to end
  bool goes_on_alone;       ///< as `ad_config`
  bool speaks;              ///< the core writes sound; else silence
  int64_t silent_after_ns;  ///< the core writes silence from here on; 0: never
  bool is_untimed;          ///< negative control: a clock that stood still is not seen
  bool ignores_the_speaker; ///< negative control: nothing of a failing speaker is seen
  scripted_fault faults[SCRIPTED_FAULTS_MAX];
  size_t fault_count;
} scripted_setting;

/// What came of it.
typedef struct {
  uint64_t captured_blocks;
  uint64_t written_frames;     ///< by the core
  uint64_t played_frames;      ///< of them, by the speaker
  uint64_t told_unplayed;      ///< of them, as told to the core
  uint64_t wrongly_told;       ///< unplayed and told as played, or the reverse
  double worst_heard_ms;       ///< when a frame was heard against what was said when it was written
  double worst_timeline_ms;    ///< capture index against the time of the sound, but within 40 ms
                               ///< after a stall, while it may still be a late report
  double offered_ms;           ///< when what was plugged in again was handed over; 0: never
  double taken_ms;             ///< from then until it ran; 0: never
  double longest_gap_ms;       ///< between two blocks
  double last_in_flight;       ///< frames
  double least_in_flight;      ///< after the last fault's half second
  double most_in_flight;       ///< likewise
  double mean_in_flight;       ///< of the last second
  double ended_ms;             ///< after it was told to end
  uint64_t calls;              ///< into the table
  uint64_t most_waits_per_100; ///< of poll and pauses, in any 100 ms
  uint32_t events[16];         ///< by kind
  uint32_t epoch;
  bool is_lost;
  bool is_runaway; ///< the thread had to be ended by force
} scripted_result;

/// Runs the audio thread on the device. `loop` shows its counters afterwards.
scripted_result scripted_run(const scripted_setting *setting, ad_pair_loop *loop);
/// The setting to begin with: 10 ms periods, 80 ms buffer, 3 s.
void scripted_default(scripted_setting *setting);
void scripted_add(scripted_setting *setting, scripted_fault fault);

#endif
