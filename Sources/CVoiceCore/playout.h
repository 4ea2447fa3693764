#ifndef VC_PLAYOUT_H
#define VC_PLAYOUT_H

#include <stdbool.h>

#include "playback.h"
#include "timeline.h"
#include "voice_core.h"
#include "voice_level.h"

/// Collects the events of one step.
typedef struct {
  vc_event *events;
  size_t count;
  uint64_t dropped;
} vc_events;

/// Appends an event, or counts it as dropped when the step has VC_EVENTS_MAX already.
void vc_events_add(vc_events *events, const vc_event *event) VD_NONBLOCKING;

/// Frames that were written and may still be on their way to the ear: 2.7 s.
#define VC_PLAYOUT_HISTORY_FRAMES 131072
/// Blocks remembered, as long as the history.
#define VC_PLAYOUT_BLOCKS 256
/// Sounding stretches remembered; they lie at least VC_ROOM_TAIL_FRAMES apart.
#define VC_PLAYOUT_STRETCHES 16
/// What a room goes on sounding after the speaker stops: 200 ms.
#define VC_ROOM_TAIL_FRAMES 9600

/// The playout clock: what of the agent's speech was heard, is heard and will be heard.
typedef struct {
  vc_timeline time;
  uint64_t heard;           ///< frames written that were heard, or never will be
  int64_t reference_offset; ///< follows the offset in steps of at least 0.5 ms, for the canceller
  bool speaking;
  uint64_t last_voice;    ///< behind the last frame of any generation heard
  uint64_t last_progress; ///< frames heard when progress was last told
  vc_progress progress;
  uint32_t oldest_block, next_block; ///< count up; index modulo VC_PLAYOUT_BLOCKS
  uint32_t oldest_stretch, next_stretch;
  vd_level level;
  struct {
    uint64_t start;
    vc_spans spans;
    size_t reached; ///< spans told about already
  } blocks[VC_PLAYOUT_BLOCKS];
  struct {
    uint64_t start, end;
  } stretches[VC_PLAYOUT_STRETCHES];
  float history[VC_PLAYOUT_HISTORY_FRAMES];
} vc_playout_clock;

/// - held: frames that the drift resampler holds from the start.
void vc_playout_init(vc_playout_clock *clock, double held);
/// Takes the device's report of this step and tells what was heard since the last.
/// - jumped: capture time was lost; the report is believed at once.
/// Result: whether the device was interrupted.
bool vc_playout_advance(vc_playout_clock *clock, const vc_timing *timing, bool jumped,
                        vc_events *events) VD_NONBLOCKING;
/// Remembers the block that is written now, as it goes into the drift resampler.
/// - placed: frames that came out of it for the device.
/// - held: frames that stay in it.
void vc_playout_write(vc_playout_clock *clock, const float *block, const vc_spans *spans,
                      size_t placed, double held) VD_NONBLOCKING;
/// Whether anything of the agent is heard in the capture frames [first, last), allowing `before`
/// frames ahead of it and `after` behind it.
bool vc_playout_sounds(const vc_playout_clock *clock, int64_t first, int64_t last, int64_t before,
                       int64_t after) VD_NONBLOCKING;
/// Writes the VC_BLOCK_FRAMES samples that are heard from capture frame `first` on; zero where
/// nothing is known. They are what was written, put on the capture clock: read at the playback
/// clock's pace they would slip against the microphone, 0.5 ms in two seconds at 250 ppm.
void vc_playout_reference(const vc_playout_clock *clock, int64_t first, float *out) VD_NONBLOCKING;
/// The same by the device's report alone, without its hidden latency: what that is measured by.
void vc_playout_reported_reference(const vc_playout_clock *clock, int64_t first,
                                   float *out) VD_NONBLOCKING;
/// The echo was found `echo_frames` behind that: the clock is corrected by the hidden latency.
void vc_playout_correct(vc_playout_clock *clock, uint32_t echo_frames) VD_NONBLOCKING;
/// The meter of the speaker as heard now. Once a step.
float vc_playout_level(vc_playout_clock *clock) VD_NONBLOCKING;

#endif
