#ifndef VC_PLAYOUT_H
#define VC_PLAYOUT_H

#include <stdbool.h>

#include "playback.h"
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

/// Frames that were written and may still be on their way to the ear: 1.36 s.
#define VC_PLAYOUT_HISTORY_FRAMES 65536
/// Blocks remembered, as long as the history.
#define VC_PLAYOUT_BLOCKS 128
/// Sounding stretches remembered; they lie at least VC_ROOM_TAIL_FRAMES apart.
#define VC_PLAYOUT_STRETCHES 16
/// What a room goes on sounding after the speaker stops: 200 ms.
#define VC_ROOM_TAIL_FRAMES 9600

/// The playout clock: for each frame written, the capture frame at which it is heard.
///
/// `heard(w) = w + offset`, where the offset follows the device's report: now + frames ahead in the
/// device + hidden latency - frames written.
typedef struct {
  uint64_t written; ///< frames written since creation
  uint64_t heard;   ///< frames of them heard
  uint64_t now;     ///< capture frame of now
  int64_t offset;
  int64_t reference_offset; ///< follows `offset` in steps of at least 0.5 ms, for the canceller
  double smoothed_offset;
  int32_t outliers; ///< signed run of reports that disagree by more than 2 ms
  bool has_offset;
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

/// Takes the device's report of this step and tells what was heard since the last.
/// - discontinuity: the capture index jumped; the report is believed at once.
void vc_playout_advance(vc_playout_clock *clock, const vc_timing *timing, bool discontinuity,
                        vc_events *events) VD_NONBLOCKING;
/// Remembers the block that is written now.
void vc_playout_write(vc_playout_clock *clock, const float *block,
                      const vc_spans *spans) VD_NONBLOCKING;
/// Whether anything of the agent is heard in the capture frames [first, last), allowing `before`
/// frames ahead of it and `after` behind it.
bool vc_playout_sounds(const vc_playout_clock *clock, int64_t first, int64_t last, int64_t before,
                       int64_t after) VD_NONBLOCKING;
/// Writes the VC_BLOCK_FRAMES samples that are heard from capture frame `first` on; zero where
/// nothing is known.
void vc_playout_reference(const vc_playout_clock *clock, int64_t first, float *out) VD_NONBLOCKING;
/// The meter of the speaker as heard now. Once a step.
float vc_playout_level(vc_playout_clock *clock) VD_NONBLOCKING;

#endif
