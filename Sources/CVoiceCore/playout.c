#include "playout.h"

#include <math.h>
#include <string.h>

/// -40 dBFS: what counts as the first audible sample.
#define AUDIBLE_SAMPLE 0.01f
/// Longest time between two reports of progress; one block is kept in hand.
#define PROGRESS_FRAMES (9600 - VC_BLOCK_FRAMES)
/// Without an end, the agent counts as speaking through a hole of 300 ms.
#define UNDERRUN_HANGOVER_FRAMES 14400
/// The canceller's reference moves in steps of this size: 0.5 ms.
#define REFERENCE_STEP_FRAMES 24

#define HISTORY_MASK (VC_PLAYOUT_HISTORY_FRAMES - 1)

void vc_playout_init(vc_playout_clock *clock, double held) {
  memset(clock, 0, sizeof *clock);
  vc_timeline_init(&clock->time, held);
}

void vc_events_add(vc_events *events, const vc_event *event) VD_NONBLOCKING {
  if (events->count == VC_EVENTS_MAX) {
    events->dropped++;
    return;
  }
  events->events[events->count++] = *event;
}

static void tell(vc_events *events, uint32_t kind, int64_t frame) {
  vc_events_add(events, &(vc_event){.kind = kind, .timestamp = (uint32_t)frame});
}

static void tell_progress(vc_playout_clock *clock, vc_events *events, int64_t frame) {
  clock->last_progress = clock->heard;
  vc_events_add(events, &(vc_event){.kind = VC_EVENT_PLAYED,
                                    .timestamp = (uint32_t)frame,
                                    .progress = clock->progress});
}

/// The capture frame at which everything before frame `end` was heard.
static int64_t behind(const vc_playout_clock *clock, uint64_t end) {
  return end == 0 ? clock->time.offset : vc_timeline_heard_at(&clock->time, end - 1) + 1;
}

static void stop_speaking(vc_playout_clock *clock, vc_events *events) {
  if (!clock->speaking)
    return;
  clock->speaking = false;
  tell(events, VC_EVENT_SPEAKING_STOPPED, behind(clock, clock->last_voice));
}

/// The first frame of [start, end) over -40 dBFS, or `end`.
static uint64_t first_audible(const vc_playout_clock *clock, uint64_t start, uint64_t end) {
  for (uint64_t w = start; w < end; w++)
    if (fabsf(clock->history[w & HISTORY_MASK]) > AUDIBLE_SAMPLE)
      return w;
  return end;
}

/// Frames [start, end) of a generation were heard.
static void hear(vc_playout_clock *clock, uint32_t generation, uint64_t start, uint64_t end,
                 vc_events *events) {
  vc_progress *progress = &clock->progress;
  if (progress->generation != generation)
    *progress = (vc_progress){.generation = generation};
  progress->played_frames += end - start;
  clock->last_voice = end;
  bool is_news = !progress->has_started || !clock->speaking;
  uint64_t first = is_news ? first_audible(clock, start, end) : end;
  // Also within a generation: one that ran dry for long, and so had ceased, is heard again.
  if (first < end && !clock->speaking) {
    clock->speaking = true;
    tell(events, VC_EVENT_SPEAKING_STARTED, vc_timeline_heard_at(&clock->time, first));
  }
  if (!progress->has_started) {
    if (first == end)
      return;
    int64_t frame = vc_timeline_heard_at(&clock->time, first);
    progress->has_started = 1;
    progress->started_at = (uint32_t)frame;
    tell_progress(clock, events, frame);
  } else if (clock->heard - clock->last_progress >= PROGRESS_FRAMES) {
    tell_progress(clock, events, behind(clock, end));
  }
}

/// Whether a written block goes on with speech right at frame `start`.
static bool continues_at(const vc_playout_clock *clock, uint64_t start) {
  for (uint32_t b = clock->oldest_block; b != clock->next_block; b++) {
    const vc_spans *spans = &clock->blocks[b % VC_PLAYOUT_BLOCKS].spans;
    for (size_t s = 0; s < spans->span_count; s++)
      if (spans->spans[s].count &&
          clock->blocks[b % VC_PLAYOUT_BLOCKS].start + spans->spans[s].offset == start)
        return true;
  }
  return false;
}

static void end_generation(vc_playout_clock *clock, const vc_span *span, uint64_t end,
                           vc_events *events) {
  if (clock->progress.generation != span->generation)
    clock->progress = (vc_progress){.generation = span->generation};
  clock->progress.flushed = span->flushed;
  clock->progress.finished = !span->flushed;
  tell_progress(clock, events, behind(clock, end));
  if (!continues_at(clock, end))
    stop_speaking(clock, events);
}

/// Goes on to frame `target` and tells what was heard on the way.
/// - is_lost: it never was; only what ended there is told.
static void go_on_to(vc_playout_clock *clock, uint64_t target, bool is_lost, vc_events *events) {
  uint64_t before = clock->heard;
  clock->heard = target;
  for (uint32_t b = clock->oldest_block; b != clock->next_block; b++) {
    uint64_t block_start = clock->blocks[b % VC_PLAYOUT_BLOCKS].start;
    if (block_start > clock->heard)
      break;
    vc_spans *spans = &clock->blocks[b % VC_PLAYOUT_BLOCKS].spans;
    size_t *reached = &clock->blocks[b % VC_PLAYOUT_BLOCKS].reached;
    while (*reached < spans->span_count) {
      const vc_span *span = &spans->spans[*reached];
      uint64_t start = block_start + span->offset, end = start + span->count;
      uint64_t from = start > before ? start : before;
      uint64_t to = end < clock->heard ? end : clock->heard;
      if (from < to && !is_lost)
        hear(clock, span->generation, from, to, events);
      if (end > clock->heard)
        break;
      if (span->ends)
        end_generation(clock, span, end, events);
      ++*reached;
    }
    bool is_over = *reached == spans->span_count && block_start + VC_BLOCK_FRAMES <= clock->heard;
    if (is_over && b == clock->oldest_block)
      clock->oldest_block++;
  }
}

static uint64_t not_below_zero(int64_t frame) {
  return frame < 0 ? 0 : (uint64_t)frame;
}

/// What was written before the device's last interruption and is still on its way.
static void hear_before_boundary(vc_playout_clock *clock, vc_events *events) {
  const vc_timeline *time = &clock->time;
  uint64_t heard = not_below_zero((int64_t)time->now - time->previous_offset);
  if (heard > time->unheard_from)
    heard = time->unheard_from;
  if (heard > clock->heard)
    go_on_to(clock, heard, false, events);
  bool is_over = clock->heard >= time->unheard_from;
  // By now what came behind is heard: nothing of the rest can be on its way.
  bool is_overtaken = (int64_t)time->now - time->offset > (int64_t)time->boundary;
  if (is_over || is_overtaken)
    go_on_to(clock, time->boundary, true, events);
}

static void hear_up_to_now(vc_playout_clock *clock, vc_events *events) {
  const vc_timeline *time = &clock->time;
  if (clock->heard < time->boundary)
    hear_before_boundary(clock, events);
  if (clock->heard < time->boundary)
    return;
  uint64_t heard = not_below_zero((int64_t)time->now - time->offset);
  if (heard > time->written)
    heard = time->written;
  go_on_to(clock, heard > clock->heard ? heard : clock->heard, false, events);
}

/// Without an end, the agent ceases after a while.
static void notice_underrun(vc_playout_clock *clock, vc_events *events) {
  if (!clock->speaking)
    return;
  bool is_all_heard = clock->heard == clock->time.written;
  int64_t silent = is_all_heard ? (int64_t)clock->time.now - behind(clock, clock->last_voice)
                                : (int64_t)(clock->heard - clock->last_voice);
  if (silent > UNDERRUN_HANGOVER_FRAMES)
    stop_speaking(clock, events);
}

static void follow_offset(vc_playout_clock *clock, bool at_once) {
  int64_t moved = clock->time.offset - clock->reference_offset;
  if (at_once || moved >= REFERENCE_STEP_FRAMES || moved <= -REFERENCE_STEP_FRAMES)
    clock->reference_offset = clock->time.offset;
}

bool vc_playout_advance(vc_playout_clock *clock, const vc_timing *timing, bool jumped,
                        vc_events *events) VD_NONBLOCKING {
  uint64_t boundary = clock->time.boundary;
  uint64_t unheard_from = clock->time.unheard_from;
  bool is_interrupted = vc_timeline_report(&clock->time, timing, jumped);
  // Two interruptions before the first was overcome: what that one left counts as lost.
  if (is_interrupted && clock->heard < boundary) {
    uint64_t kept =
        unheard_from < clock->time.unheard_from ? unheard_from : clock->time.unheard_from;
    if (kept > clock->heard)
      go_on_to(clock, kept, false, events);
    go_on_to(clock, boundary, true, events);
  }
  follow_offset(clock, is_interrupted || jumped);
  hear_up_to_now(clock, events);
  notice_underrun(clock, events);
  return is_interrupted;
}

static void remember_stretch(vc_playout_clock *clock, uint64_t start, uint64_t end) {
  uint32_t last = clock->next_stretch - 1;
  // Across an interruption a stretch is two: each half has a time of its own.
  if (clock->next_stretch != clock->oldest_stretch && start != clock->time.boundary &&
      start <= clock->stretches[last % VC_PLAYOUT_STRETCHES].end + VC_ROOM_TAIL_FRAMES) {
    clock->stretches[last % VC_PLAYOUT_STRETCHES].end = end;
    return;
  }
  if (clock->next_stretch - clock->oldest_stretch == VC_PLAYOUT_STRETCHES)
    clock->oldest_stretch++;
  clock->stretches[clock->next_stretch % VC_PLAYOUT_STRETCHES].start = start;
  clock->stretches[clock->next_stretch % VC_PLAYOUT_STRETCHES].end = end;
  clock->next_stretch++;
}

void vc_playout_write(vc_playout_clock *clock, const float *block, const vc_spans *spans,
                      size_t placed, double held) VD_NONBLOCKING {
  uint64_t start = clock->time.written;
  // 480 does not divide the history, so a block may wrap.
  size_t at = start & HISTORY_MASK;
  size_t head = VC_PLAYOUT_HISTORY_FRAMES - at;
  if (head > VC_BLOCK_FRAMES)
    head = VC_BLOCK_FRAMES;
  memcpy(&clock->history[at], block, head * sizeof *block);
  memcpy(clock->history, &block[head], (VC_BLOCK_FRAMES - head) * sizeof *block);
  vc_timeline_write(&clock->time, placed, held);
  if (spans->sounding)
    remember_stretch(clock, start, clock->time.written);
  if (spans->span_count == 0)
    return;
  if (clock->next_block - clock->oldest_block == VC_PLAYOUT_BLOCKS)
    clock->oldest_block++;
  uint32_t slot = clock->next_block++ % VC_PLAYOUT_BLOCKS;
  clock->blocks[slot].start = start;
  clock->blocks[slot].spans = *spans;
  clock->blocks[slot].reached = 0;
}

bool vc_playout_sounds(const vc_playout_clock *clock, int64_t first, int64_t last, int64_t before,
                       int64_t after) VD_NONBLOCKING {
  for (uint32_t s = clock->oldest_stretch; s != clock->next_stretch; s++) {
    int64_t start =
        vc_timeline_heard_at(&clock->time, clock->stretches[s % VC_PLAYOUT_STRETCHES].start);
    int64_t end = behind(clock, clock->stretches[s % VC_PLAYOUT_STRETCHES].end);
    if (start - before < last && end + after > first)
      return true;
  }
  return false;
}

/// The frame written that is heard at capture frame `frame`, or -1.
static int64_t frame_heard_at(const vc_playout_clock *clock, int64_t frame, int64_t offset) {
  const vc_timeline *time = &clock->time;
  int64_t written = frame - offset;
  if (written >= (int64_t)time->boundary)
    return written < (int64_t)time->written ? written : -1;
  written = frame - time->previous_offset;
  return written < (int64_t)time->unheard_from ? written : -1;
}

static void write_reference(const vc_playout_clock *clock, int64_t first, int64_t offset,
                            float *out) {
  int64_t oldest = (int64_t)clock->time.written - VC_PLAYOUT_HISTORY_FRAMES;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++) {
    int64_t w = frame_heard_at(clock, first + (int64_t)i, offset);
    out[i] = w >= 0 && w >= oldest ? clock->history[(uint64_t)w & HISTORY_MASK] : 0;
  }
}

void vc_playout_reference(const vc_playout_clock *clock, int64_t first, float *out) VD_NONBLOCKING {
  write_reference(clock, first, clock->reference_offset, out);
}

void vc_playout_reported_reference(const vc_playout_clock *clock, int64_t first,
                                   float *out) VD_NONBLOCKING {
  const vc_timeline *time = &clock->time;
  write_reference(clock, first, clock->reference_offset - time->hidden, out);
}

void vc_playout_correct(vc_playout_clock *clock, uint32_t echo_frames) VD_NONBLOCKING {
  vc_timeline_correct(&clock->time, echo_frames);
  follow_offset(clock, false);
}

float vc_playout_level(vc_playout_clock *clock) VD_NONBLOCKING {
  float block[VC_BLOCK_FRAMES];
  vc_playout_reference(clock, (int64_t)clock->time.now - VC_BLOCK_FRAMES, block);
  return vd_level_update(&clock->level, block, VC_BLOCK_FRAMES, (float)VC_BLOCK_FRAMES / 48000.0f);
}
