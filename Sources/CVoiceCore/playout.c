#include "playout.h"

#include <math.h>
#include <string.h>

/// -40 dBFS: what counts as the first audible sample.
#define AUDIBLE_SAMPLE 0.01f
/// Longest time between two reports of progress; one block is kept in hand.
#define PROGRESS_FRAMES (9600 - VC_BLOCK_FRAMES)
/// Without an end, the agent counts as speaking through a hole of 300 ms.
#define UNDERRUN_HANGOVER_FRAMES 14400
/// A report further off than this is not noise of the driver: 2 ms.
#define OUTLIER_FRAMES 96
/// So many of them in a row, all to one side, and they are believed.
#define OUTLIER_RUN 5
/// Share of a report that the offset follows: a time constant of half a second.
#define OFFSET_SHARE 0.02
/// The canceller's reference moves in steps of this size: 0.5 ms.
#define REFERENCE_STEP_FRAMES 24

#define HISTORY_MASK (VC_PLAYOUT_HISTORY_FRAMES - 1)

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

static void follow(vc_playout_clock *clock, int64_t reported, bool discontinuity) {
  int64_t difference = reported - clock->offset;
  bool is_outlier = difference > OUTLIER_FRAMES || difference < -OUTLIER_FRAMES;
  if (!is_outlier)
    clock->outliers = 0;
  else if (difference > 0)
    clock->outliers = clock->outliers > 0 ? clock->outliers + 1 : 1;
  else
    clock->outliers = clock->outliers < 0 ? clock->outliers - 1 : -1;

  bool is_believed = clock->outliers >= OUTLIER_RUN || clock->outliers <= -OUTLIER_RUN;
  if (!clock->has_offset || discontinuity || is_believed) {
    clock->has_offset = true;
    clock->outliers = 0;
    clock->smoothed_offset = (double)reported;
  } else if (!is_outlier) {
    clock->smoothed_offset += OFFSET_SHARE * ((double)reported - clock->smoothed_offset);
  }
  clock->offset = llrint(clock->smoothed_offset);
  int64_t moved = clock->offset - clock->reference_offset;
  if (moved >= REFERENCE_STEP_FRAMES || moved <= -REFERENCE_STEP_FRAMES)
    clock->reference_offset = clock->offset;
}

static void stop_speaking(vc_playout_clock *clock, vc_events *events) {
  if (!clock->speaking)
    return;
  clock->speaking = false;
  tell(events, VC_EVENT_SPEAKING_STOPPED, (int64_t)clock->last_voice + clock->offset);
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
    tell(events, VC_EVENT_SPEAKING_STARTED, (int64_t)first + clock->offset);
  }
  if (!progress->has_started) {
    if (first == end)
      return;
    int64_t frame = (int64_t)first + clock->offset;
    progress->has_started = 1;
    progress->started_at = (uint32_t)frame;
    tell_progress(clock, events, frame);
  } else if (clock->heard - clock->last_progress >= PROGRESS_FRAMES) {
    tell_progress(clock, events, (int64_t)end + clock->offset);
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
  tell_progress(clock, events, (int64_t)end + clock->offset);
  if (!continues_at(clock, end))
    stop_speaking(clock, events);
}

/// Tells what was heard between `before` and `clock->heard`, both in frames written.
static void tell_heard(vc_playout_clock *clock, uint64_t before, vc_events *events) {
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
      if (from < to)
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

void vc_playout_advance(vc_playout_clock *clock, const vc_timing *timing, bool discontinuity,
                        vc_events *events) VD_NONBLOCKING {
  clock->now = timing->capture_frames + VC_BLOCK_FRAMES + timing->capture_delay_frames;
  int64_t ahead = (int64_t)timing->play_delay_frames + timing->hidden_latency_frames;
  follow(clock, (int64_t)clock->now + ahead - (int64_t)clock->written, discontinuity);
  int64_t heard = (int64_t)clock->now - clock->offset;
  if (heard > (int64_t)clock->written)
    heard = (int64_t)clock->written;
  uint64_t before = clock->heard;
  if (heard > (int64_t)before)
    clock->heard = (uint64_t)heard;
  tell_heard(clock, before, events);
  if (clock->speaking && clock->heard == clock->written &&
      (int64_t)clock->now - ((int64_t)clock->last_voice + clock->offset) > UNDERRUN_HANGOVER_FRAMES)
    stop_speaking(clock, events);
  else if (clock->speaking && clock->heard > clock->last_voice + UNDERRUN_HANGOVER_FRAMES)
    stop_speaking(clock, events);
}

static void remember_stretch(vc_playout_clock *clock, uint64_t start, uint64_t end) {
  uint32_t last = clock->next_stretch - 1;
  if (clock->next_stretch != clock->oldest_stretch &&
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

void vc_playout_write(vc_playout_clock *clock, const float *block,
                      const vc_spans *spans) VD_NONBLOCKING {
  uint64_t start = clock->written;
  // 480 does not divide the history, so a block may wrap.
  size_t at = start & HISTORY_MASK;
  size_t head = VC_PLAYOUT_HISTORY_FRAMES - at;
  if (head > VC_BLOCK_FRAMES)
    head = VC_BLOCK_FRAMES;
  memcpy(&clock->history[at], block, head * sizeof *block);
  memcpy(clock->history, &block[head], (VC_BLOCK_FRAMES - head) * sizeof *block);
  clock->written += VC_BLOCK_FRAMES;
  if (spans->sounding)
    remember_stretch(clock, start, clock->written);
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
    int64_t start = (int64_t)clock->stretches[s % VC_PLAYOUT_STRETCHES].start + clock->offset;
    int64_t end = (int64_t)clock->stretches[s % VC_PLAYOUT_STRETCHES].end + clock->offset;
    if (start - before < last && end + after > first)
      return true;
  }
  return false;
}

void vc_playout_reference(const vc_playout_clock *clock, int64_t first, float *out) VD_NONBLOCKING {
  int64_t w = first - clock->reference_offset;
  int64_t oldest = (int64_t)clock->written - VC_PLAYOUT_HISTORY_FRAMES;
  for (size_t i = 0; i < VC_BLOCK_FRAMES; i++, w++) {
    bool is_known = w >= 0 && w >= oldest && w < (int64_t)clock->written;
    out[i] = is_known ? clock->history[(uint64_t)w & HISTORY_MASK] : 0;
  }
}

float vc_playout_level(vc_playout_clock *clock) VD_NONBLOCKING {
  float block[VC_BLOCK_FRAMES];
  vc_playout_reference(clock, (int64_t)clock->now - VC_BLOCK_FRAMES, block);
  return vd_level_update(&clock->level, block, VC_BLOCK_FRAMES, (float)VC_BLOCK_FRAMES / 48000.0f);
}
