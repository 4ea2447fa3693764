#ifndef SCRIPTED_WORLD_H
#define SCRIPTED_WORLD_H

#include "scripted_device.h"

// The inside of the scripted device: both PCMs, what is wrong with them, and their one time.

#define CALLS_MAX 200000000u
/// What one sample is numbered with; a float holds 2^24 of them.
#define NUMBER_SCALE 16777216.0f
#define SCRIPTED_RING 65536

typedef struct {
  int state; ///< a snd_pcm_state_t
  double rate;
  uint32_t period, buffer;
  double base;      ///< position at `since_ns`
  int64_t since_ns; ///< it moves from then on
  int64_t stalled_until_ns;
  uint64_t application;
  uint32_t prepares;
  // Faults in force:
  int resumes_again, bad_states, bad_starts, bad_prepares;
  bool resume_lies, state_lies, is_gone;
  int64_t poll_always_until, poll_never_until, nonsense_until, zeros_until;
} scripted_side;

typedef struct {
  const scripted_setting *setting;
  scripted_setting *faults;
  ad_pair_loop *loop;
  scripted_result *result;
  size_t first_fault; ///< those before it are done
  int64_t now_ns, started_ns;
  scripted_side sides[2];
  float ring[SCRIPTED_RING]; ///< what the speaker holds
  uint64_t window_waits;
  int64_t window_ns;
  int64_t last_block_ns, last_fault_ns, last_stall_ns, offered_ns;
  int offered_side;
  ad_pcm *spare[2]; ///< opened beforehand, for what is plugged in again
  double first_capture_offset;
  bool has_offset;
  uint8_t *fate; ///< by core frame: 1 played, 2 told as unplayed
  float *said;   ///< by core frame: ms at which it was said to be heard
  double flight_sum;
  uint64_t flight_count;
} scripted_world;

extern scripted_world world;
extern const ad_alsa_calls scripted_calls;

scripted_side *scripted_side_of(snd_pcm_t *pcm) VD_NONBLOCKING;
bool scripted_captures(const scripted_side *side) VD_NONBLOCKING;
/// Frames that the hardware has moved since it was prepared.
double scripted_position(const scripted_side *side) VD_NONBLOCKING;
long scripted_avail(const scripted_side *side) VD_NONBLOCKING;
/// A side as it is when it was plugged in.
void scripted_reset(int side) VD_NONBLOCKING;
/// Stops where it is.
void scripted_freeze(scripted_side *side, int state) VD_NONBLOCKING;
/// Lets the faults happen that wait for a prepare of this side.
void scripted_fire_prepared(int side) VD_NONBLOCKING;
/// The next moment at which something happens by itself, no later than `until`.
int64_t scripted_next_moment(int64_t until) VD_NONBLOCKING;
void scripted_pass_to(int64_t until) VD_NONBLOCKING;

#endif
