#include "timeline.h"

#include <math.h>

/// From the speaker through the air to the microphone of a device on a table, and what the search
/// for the echo is late: 1.5 ms.
#define AIR_FRAMES 72
/// A found latency that differs by less than 1 ms is the one in force.
#define CORRECTION_MIN_FRAMES 48
/// What is found below 20 ms is the way to a microphone further away: nothing is hidden.
#define HIDDEN_MIN_FRAMES 960
/// No device hides more than 500 ms: what is found beyond is a mistake.
#define HIDDEN_MAX_FRAMES 24000
/// What speeds of clocks may be divided by.
#define SPEED_MAX 0.01

void vc_timeline_init(vc_timeline *timeline, double held) {
  *timeline = (vc_timeline){.held = held};
  vc_drift_init(&timeline->drift);
}

/// What was written before keeps its time, less what is never heard.
static void interrupt(vc_timeline *timeline, uint32_t unplayed) VD_NONBLOCKING {
  const uint64_t held = (uint64_t)(timeline->held + 0.5);
  timeline->boundary = timeline->written > held ? timeline->written - held : 0;
  timeline->unheard_from = timeline->boundary > unplayed ? timeline->boundary - unplayed : 0;
  timeline->previous_offset = timeline->offset;
}

static void place(vc_timeline *timeline) VD_NONBLOCKING {
  const double speed = fmin(fmax(vc_drift_speed(&timeline->drift), -SPEED_MAX), SPEED_MAX);
  const double now = (double)timeline->now;
  const double ahead = ((double)timeline->placed - now - timeline->drift.lead) / (1 + speed);
  timeline->reported_offset = llrint(now + ahead + timeline->held - (double)timeline->written);
  timeline->offset = timeline->reported_offset + timeline->hidden;
}

static void follow_configuration(vc_timeline *timeline, const vc_timing *timing) VD_NONBLOCKING {
  const bool is_same =
      timing->hidden_latency_frames == timeline->configured && timing->speaker == timeline->speaker;
  if (is_same && timeline->hidden_state != VC_HIDDEN_UNKNOWN)
    return;
  // Another device, or another figure for it: what was found is of the one before.
  timeline->speaker = timing->speaker;
  timeline->speakers++;
  timeline->configured = timeline->hidden = timing->hidden_latency_frames;
  timeline->hidden_state = VC_HIDDEN_CONFIGURED;
}

bool vc_timeline_report(vc_timeline *timeline, const vc_timing *timing,
                        bool jumped) VD_NONBLOCKING {
  timeline->read = timing->capture_frames + VC_BLOCK_FRAMES;
  timeline->now = timeline->read + timing->capture_delay_frames;
  const bool is_interrupted = timing->epoch != timeline->epoch || timing->unplayed_frames > 0 ||
                              timing->inserted_frames > 0;
  timeline->epoch = timing->epoch;
  if (is_interrupted)
    interrupt(timeline, timing->unplayed_frames);
  timeline->placed += (int64_t)timing->inserted_frames - (int64_t)timing->unplayed_frames;
  if (is_interrupted || jumped)
    vc_drift_restart(&timeline->drift);
  const int64_t played = timeline->placed - (int64_t)timing->play_delay_frames;
  vc_drift_observe(&timeline->drift, (double)timeline->now, (double)played - (double)timeline->now);
  follow_configuration(timeline, timing);
  place(timeline);
  return is_interrupted;
}

void vc_timeline_write(vc_timeline *timeline, size_t placed, double held) VD_NONBLOCKING {
  timeline->written += VC_BLOCK_FRAMES;
  timeline->placed += (int64_t)placed;
  timeline->held = held;
}

void vc_timeline_correct(vc_timeline *timeline, uint32_t echo_frames) VD_NONBLOCKING {
  if (echo_frames > HIDDEN_MAX_FRAMES + AIR_FRAMES)
    return;
  const bool hides = echo_frames >= HIDDEN_MIN_FRAMES + AIR_FRAMES;
  const uint32_t found = hides ? echo_frames - AIR_FRAMES : 0;
  const uint32_t hidden = timeline->hidden;
  const uint32_t distance = found > hidden ? found - hidden : hidden - found;
  timeline->hidden_state = VC_HIDDEN_FOUND;
  if (distance < CORRECTION_MIN_FRAMES)
    return;
  timeline->hidden = found;
  timeline->offset = timeline->reported_offset + found;
}

int64_t vc_timeline_heard_at(const vc_timeline *timeline, uint64_t frame) VD_NONBLOCKING {
  return (int64_t)frame +
         (frame < timeline->boundary ? timeline->previous_offset : timeline->offset);
}

double vc_timeline_in_flight(const vc_timeline *timeline) VD_NONBLOCKING {
  return (double)timeline->placed - (double)timeline->read - timeline->drift.lead;
}
