#include "room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static simroom *table[ROOM_COUNT];

static simroom *make_room(const char *name) {
  simroom *room = calloc(1, sizeof *room);
  if (!room || air_create(&room->space)) {
    free(room);
    return NULL;
  }
  strncpy(room->name, name, sizeof room->name - 1);
  room->plugged = SIMROOM_PLAYBACK | SIMROOM_CAPTURE;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&room->lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return room;
}

simroom *room_named(const char *name, bool *made) {
  *made = false;
  if (!name || strlen(name) >= sizeof table[0]->name)
    return NULL;
  pthread_mutex_lock(&table_lock);
  simroom *found = NULL, **space = NULL;
  for (int i = 0; i < ROOM_COUNT && !found; i++) {
    if (!table[i])
      space = space ? space : &table[i];
    else if (!strcmp(table[i]->name, name))
      found = table[i];
  }
  if (!found && space) {
    *space = found = make_room(name);
    *made = found != NULL;
  }
  pthread_mutex_unlock(&table_lock);
  return found;
}

int room_remove(simroom *room) {
  pthread_mutex_lock(&table_lock);
  room_lock(room);
  bool busy = room->streams[ROOM_PLAYBACK] || room->streams[ROOM_CAPTURE];
  room_unlock(room);
  for (int i = 0; i < ROOM_COUNT && !busy; i++)
    if (table[i] == room)
      table[i] = NULL;
  pthread_mutex_unlock(&table_lock);
  if (busy)
    return -EBUSY;
  recorder_stop(room);
  near_end_sweep(&room->person, INT64_MAX);
  air_destroy(&room->space);
  pthread_mutex_destroy(&room->lock);
  free(room);
  return 0;
}

void room_lock(simroom *room) {
  pthread_mutex_lock(&room->lock);
}

void room_unlock(simroom *room) {
  pthread_mutex_unlock(&room->lock);
}

static size_t block_until(int64_t from, int64_t end) {
  return end - from < ROOM_BLOCK ? (size_t)(end - from) : ROOM_BLOCK;
}

static void advance_speaker(simroom *room, int64_t now) {
  room_stream *stream = room->streams[ROOM_PLAYBACK];
  float block[ROOM_BLOCK];
  while (room->space.end < now) {
    int64_t frame = room->space.end;
    size_t count = block_until(frame, now);
    size_t played = stream_play(stream, frame, block, count);
    room->counters[SIMROOM_PLAYED_FRAMES] += played;
    speaker_line_pass(&room->line, block, count);
    bool sounds = played || room->line.frames;
    air_append(&room->space, sounds ? block : NULL, count);
    if (sounds)
      recorder_put(&room->tape, RECORDER_SPEAKER, frame, block, count);
  }
}

static void advance_microphone(simroom *room, int64_t now) {
  room_stream *stream = room->streams[ROOM_CAPTURE];
  float block[ROOM_BLOCK], line[ROOM_BLOCK];
  while (room->microphone_end < now) {
    if (!stream || stream->phase != STREAM_RUNNING) {
      room->microphone_end = now;
      break;
    }
    int64_t frame = room->microphone_end;
    size_t count = block_until(frame, now), first;
    air_hear(&room->space, frame, block, count);
    near_end_mix(&room->person, frame, block, count);
    air_copy(&room->space, frame, line, count);
    size_t delivered = stream_capture(stream, frame, block, line, count, &first);
    room->counters[SIMROOM_CAPTURED_FRAMES] += delivered;
    recorder_put(&room->tape, RECORDER_MICROPHONE, frame + (int64_t)first, block + first,
                 delivered);
    room->microphone_end += (int64_t)count;
  }
}

static void advance_to(simroom *room, const room_stream *caller, int64_t now) {
  const room_stream *capture = room->streams[ROOM_CAPTURE];
  advance_speaker(room, now);
  if (!capture || capture == caller || capture->phase != STREAM_RUNNING ||
      (double)(now - room->microphone_end) * capture->rate > (double)capture->capacity)
    advance_microphone(room, now);
  recorder_commit(&room->tape,
                  room->microphone_end < room->space.end ? room->microphone_end : room->space.end);
}

static void carry_out(simroom *room, const scripted_fault *fault);

void room_advance(simroom *room, const room_stream *caller) {
  int64_t now = room_clock_frame(&room->clock);
  const scripted_fault *fault;
  while (room->clock.begun && (fault = fault_script_due(&room->script, now))) {
    advance_to(room, caller, fault->frame);
    carry_out(room, fault);
  }
  advance_to(room, caller, now);
}

int room_set_latency(simroom *room, int64_t told, int64_t hidden) {
  if (told < 0 || hidden < 0 || told + hidden > SPEAKER_LINE_FRAMES)
    return -EINVAL;
  room_advance(room, NULL);
  room->told_latency = told;
  room->hidden_latency = hidden;
  speaker_line_set(&room->line, told + hidden);
  return 0;
}

void room_set_drift(simroom *room, int index, double ppm) {
  room_advance(room, room->streams[ROOM_CAPTURE]);
  room_stream *stream = room->streams[index];
  if (stream)
    stream_set_rate(stream, stream->rate * (1 + ppm * 1e-6) / (1 + room->ppm[index] * 1e-6),
                    room_clock_frame(&room->clock));
  room->ppm[index] = ppm;
}

int room_set_acoustics(simroom *room, const room_acoustics *acoustics, const char *path) {
  impulse_response response;
  int result = path ? impulse_response_read(&response, acoustics, path)
                    : impulse_response_make(&response, acoustics);
  if (result) {
    impulse_response_free(&response);
    return result;
  }
  room_advance(room, NULL);
  air_set_acoustics(&room->space, response, acoustics);
  room->tape.list.acoustics = *acoustics;
  room->tape.list_is_stale = true;
  return 0;
}

void room_move(simroom *room, int64_t frames) {
  while (frames > 0) {
    int64_t step = frames < ROOM_BLOCK ? frames : ROOM_BLOCK;
    room->clock.manual_frame += step;
    frames -= step;
    // Nobody else runs in manual time, so what the application has read is known.
    room_advance(room, room->streams[ROOM_CAPTURE]);
    for (int i = 0; i < 2; i++)
      if (room->streams[i])
        stream_arm(room->streams[i]);
  }
}

static void carry_out(simroom *room, const scripted_fault *scripted) {
  int fault = scripted->fault, directions = scripted->directions;
  if (fault == SIMROOM_FAULT_UNPLUG)
    room->plugged &= ~directions;
  if (fault == SIMROOM_FAULT_REPLUG)
    room->plugged |= directions;
  for (int i = 0; i < 2; i++) {
    room_stream *stream = room->streams[i];
    if (!stream || !(directions & 1 << i))
      continue;
    if (fault == SIMROOM_FAULT_UNPLUG)
      stream_fail(stream, STREAM_GONE);
    if (stream->phase != STREAM_RUNNING)
      continue;
    if (fault == SIMROOM_FAULT_XRUN) {
      room->counters[i == ROOM_CAPTURE ? SIMROOM_CAPTURE_XRUNS : SIMROOM_PLAYBACK_XRUNS]++;
      stream_fail(stream, STREAM_XRUN);
    } else if (fault == SIMROOM_FAULT_SUSPEND || fault == SIMROOM_FAULT_LYING_SUSPEND) {
      stream->resumes_that_lie = fault == SIMROOM_FAULT_LYING_SUSPEND;
      stream_fail(stream, STREAM_SUSPENDED);
    } else if (fault == SIMROOM_FAULT_STALL) {
      stream->start += scripted->frames;
    } else if (fault == SIMROOM_FAULT_JUMP) {
      stream->start -= scripted->frames;
    }
  }
}

int room_inject(simroom *room, int fault, int directions, int64_t frames) {
  if (fault < SIMROOM_FAULT_XRUN || fault > SIMROOM_FAULT_LYING_SUSPEND || directions < 0 ||
      directions > (SIMROOM_PLAYBACK | SIMROOM_CAPTURE) || frames < 0)
    return -EINVAL;
  room_advance(room, NULL);
  scripted_fault now = {.fault = fault, .directions = directions, .frames = frames};
  carry_out(room, &now);
  return 0;
}
