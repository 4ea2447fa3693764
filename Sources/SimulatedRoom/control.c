// The exported control interface; see include/simroom.h.
#include <errno.h>
#include <string.h>

#include "plugin_configuration.h"
#include "room.h"

simroom *simroom_room(const char *name) {
  bool made;
  simroom *room = room_named(name, &made);
  if (room && made) {
    room_acoustics acoustics = plugin_default_acoustics();
    room_lock(room);
    // Only memory can be missing; the room is then without an echo.
    (void)room_set_acoustics(room, &acoustics, NULL);
    room_unlock(room);
  }
  return room;
}

int simroom_remove(simroom *room) {
  return room_remove(room);
}

int simroom_configure(simroom *room, double echo_return_loss_db, double delay_ms, double rt60_ms,
                      double noise_dbfs, uint32_t seed, const char *record_path) {
  room_acoustics acoustics = {.echo_return_loss_db = echo_return_loss_db,
                              .delay_ms = delay_ms,
                              .rt60_ms = rt60_ms,
                              .noise_dbfs = noise_dbfs,
                              .seed = seed};
  room_lock(room);
  int result = room_set_acoustics(room, &acoustics, NULL);
  if (!result && record_path)
    result = recorder_start(room, record_path);
  room_unlock(room);
  return result;
}

int simroom_say(simroom *room, const int16_t *pcm48k, size_t frames, int64_t *start_frame) {
  if (!pcm48k || frames == 0 || frames > SIZE_MAX / sizeof *pcm48k)
    return -EINVAL;
  room_lock(room);
  room_advance(room, NULL);
  near_end_sweep(&room->person, room->microphone_end);
  int64_t start;
  int64_t next_period = room_clock_frame(&room->clock) + ROOM_BLOCK;
  int result = near_end_say(&room->person, next_period, pcm48k, frames, &start);
  if (result == -ENOSPC) {
    room->counters[SIMROOM_UTTERANCES_REFUSED]++;
  } else if (!result) {
    room->counters[SIMROOM_UTTERANCES]++;
    recorder_note_utterance(&room->tape, start, (int64_t)frames);
    if (start_frame)
      *start_frame = start;
  }
  room_unlock(room);
  return result;
}

int simroom_near_end_idle(simroom *room) {
  room_lock(room);
  room_advance(room, NULL);
  bool idle = near_end_sweep(&room->person, room->microphone_end);
  room_unlock(room);
  return idle;
}

int64_t simroom_position(simroom *room) {
  room_lock(room);
  int64_t frame = room_clock_frame(&room->clock);
  room_unlock(room);
  return frame;
}

int64_t simroom_stream_start(simroom *room, int direction) {
  room_lock(room);
  const room_stream *stream =
      room->streams[direction == SIMROOM_CAPTURE ? ROOM_CAPTURE : ROOM_PLAYBACK];
  int64_t start = stream && stream->phase == STREAM_RUNNING ? stream->start : -1;
  room_unlock(room);
  return start;
}

int simroom_set_drift(simroom *room, int direction, double ppm) {
  if (!(ppm >= -10000 && ppm <= 10000) || direction < SIMROOM_PLAYBACK ||
      direction > (SIMROOM_PLAYBACK | SIMROOM_CAPTURE))
    return -EINVAL;
  room_lock(room);
  for (int i = 0; i < 2; i++)
    if (direction & 1 << i)
      room_set_drift(room, i, ppm);
  room_unlock(room);
  return 0;
}

int simroom_set_latency(simroom *room, int64_t told, int64_t hidden) {
  room_lock(room);
  int result = room_set_latency(room, told, hidden);
  room_unlock(room);
  return result;
}

int64_t simroom_heard_at(simroom *room, int64_t stream_frame) {
  room_lock(room);
  const room_stream *stream = room->streams[ROOM_PLAYBACK];
  int64_t frame = stream && stream->phase == STREAM_RUNNING
                      ? stream_room_frame(stream, stream_frame) + room->line.frames
                      : -1;
  room_unlock(room);
  return frame;
}

int simroom_inject(simroom *room, int fault, int directions, int64_t frames) {
  room_lock(room);
  int result = room_inject(room, fault, directions, frames);
  room_unlock(room);
  return result;
}

size_t simroom_counters(simroom *room, uint64_t *out, size_t count) {
  if (count > SIMROOM_COUNTERS)
    count = SIMROOM_COUNTERS;
  room_lock(room);
  room->counters[SIMROOM_RECORDER_DROPPED_FRAMES] = room->tape.dropped;
  memcpy(out, room->counters, count * sizeof *out);
  room_unlock(room);
  return count;
}

int simroom_flush(simroom *room) {
  room_lock(room);
  int result = recorder_flush(room);
  room_unlock(room);
  return result;
}

int simroom_use_manual_clock(simroom *room) {
  room_lock(room);
  int result = room->clock.begun ? -EBUSY : 0;
  if (!result)
    room->clock.manual = true;
  room_unlock(room);
  return result;
}

int simroom_advance(simroom *room, int64_t frames) {
  room_lock(room);
  int result = frames < 0 || !room->clock.manual ? -EINVAL : 0;
  if (!result)
    room_move(room, frames);
  room_unlock(room);
  return result;
}
