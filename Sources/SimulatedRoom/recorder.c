#include "recorder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "room.h"

#define RECORDER_MASK (RECORDER_FRAMES - 1)
// The writer takes 100 ms at a time and looks at least ten times a second.
#define CHUNK_FRAMES 4800
#define TICK_NS 100000000
#define FLUSH_NS INT64_C(2000000000)

static struct timespec monotonic_after(int64_t nanoseconds) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_nsec += nanoseconds % 1000000000;
  at.tv_sec += nanoseconds / 1000000000 + at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

void recorder_put(recorder *tape, int channel, int64_t frame, const float *samples, size_t count) {
  if (!tape->path || tape->error)
    return;
  int64_t limit = tape->taken + RECORDER_FRAMES;
  for (size_t i = 0; i < count && frame + (int64_t)i < limit; i++) {
    float value = samples[i] * 32768;
    value = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
    tape->ring[((frame + (int64_t)i) & RECORDER_MASK) * 2 + channel] = (int16_t)lrintf(value);
  }
  int64_t end = frame + (int64_t)count;
  int64_t from = frame > tape->refused_until ? frame : tape->refused_until;
  if (from < limit)
    from = limit;
  if (end > from) {
    tape->dropped += (uint64_t)(end - from);
    tape->refused_until = end;
  }
}

void recorder_commit(recorder *tape, int64_t end) {
  if (end > tape->end)
    tape->end = end;
}

void recorder_note_utterance(recorder *tape, int64_t start, int64_t frames) {
  if (!tape->path || tape->list.count == RECORDED_UTTERANCES)
    return;
  tape->list.utterances[tape->list.count++] =
      (recorded_utterance){.start = start, .frames = frames};
  tape->list_is_stale = true;
  pthread_cond_signal(&tape->wake);
}

/// Takes up to a chunk out of the ring and leaves silence there.
static size_t take_chunk(recorder *tape, int16_t *chunk) {
  int64_t waiting = tape->end - tape->taken;
  size_t count = waiting < CHUNK_FRAMES ? (size_t)waiting : CHUNK_FRAMES;
  for (size_t i = 0; i < count; i++) {
    int16_t *slot = tape->ring + ((tape->taken + (int64_t)i) & RECORDER_MASK) * 2;
    chunk[2 * i] = slot[0];
    chunk[2 * i + 1] = slot[1];
    slot[0] = slot[1] = 0;
  }
  tape->taken += (int64_t)count;
  return count;
}

static void end_recording(recorder *tape, int error) {
  tape->error = error;
  fprintf(stderr, "simroom: recording %s ended: %s\n", tape->path, strerror(-error));
}

/// One turn of the writer; the room is locked on entry and on return, unlocked while it writes.
static void write_some(simroom *room, int16_t *chunk) {
  recorder *tape = &room->tape;
  size_t count = take_chunk(tape, chunk);
  bool list_is_stale = tape->list_is_stale;
  recorded_list list = tape->list;
  tape->list_is_stale = false;
  tape->is_writing = true;
  room_unlock(room);
  int result = 0;
  if (tape->file.frames + (int64_t)count > WAVE_FILE_MAX_FRAMES)
    result = -EFBIG;
  if (!result && count)
    result = wave_file_append(&tape->file, chunk, count);
  if (!result && count)
    result = wave_file_patch(&tape->file);
  if (!result && list_is_stale)
    result = recorded_list_write(&list, tape->list_path);
  room_lock(room);
  tape->is_writing = false;
  if (result)
    end_recording(tape, result);
  tape->written = tape->taken;
  room->counters[SIMROOM_RECORDED_FRAMES] = (uint64_t)tape->written;
}

static void *writer_main(void *argument) {
  simroom *room = argument;
  recorder *tape = &room->tape;
  int16_t chunk[CHUNK_FRAMES * 2];
  room_lock(room);
  while (!tape->error) {
    room_advance(room, NULL);
    while (!tape->error && (tape->end > tape->taken || tape->list_is_stale))
      write_some(room, chunk);
    pthread_cond_broadcast(&tape->caught);
    if (tape->is_stopping)
      break;
    struct timespec at = monotonic_after(TICK_NS);
    pthread_cond_timedwait(&tape->wake, &room->lock, &at);
  }
  pthread_cond_broadcast(&tape->caught);
  wave_file_close(&tape->file);
  room_unlock(room);
  return NULL;
}

/// "recording.wav" -> "recording.json"
static char *list_path_for(const char *path) {
  size_t length = strlen(path);
  char *list = malloc(length + 6);
  if (!list)
    return NULL;
  strcpy(list, path);
  if (length > 4 && !strcmp(path + length - 4, ".wav"))
    list[length - 4] = 0;
  return strcat(list, ".json");
}

static void start_conditions(recorder *tape) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&tape->wake, &attributes);
  pthread_cond_init(&tape->caught, &attributes);
  pthread_condattr_destroy(&attributes);
}

int recorder_start(simroom *room, const char *path) {
  recorder *tape = &room->tape;
  if (tape->path)
    return -EBUSY;
  char *copy = strdup(path), *list = list_path_for(path);
  int16_t *ring = calloc(RECORDER_FRAMES, 2 * sizeof *ring);
  int result = copy && list && ring ? wave_file_open(&tape->file, path) : -ENOMEM;
  if (!result) {
    start_conditions(tape);
    tape->path = copy;
    tape->list_path = list;
    tape->ring = ring;
    tape->list_is_stale = true;
    result = -pthread_create(&tape->writer, NULL, writer_main, room);
    if (!result)
      return 0;
    wave_file_close(&tape->file);
    tape->path = tape->list_path = NULL;
    tape->ring = NULL;
  }
  free(copy);
  free(list);
  free(ring);
  return result;
}

void recorder_stop(simroom *room) {
  recorder *tape = &room->tape;
  if (!tape->path)
    return;
  room_lock(room);
  tape->is_stopping = true;
  pthread_cond_signal(&tape->wake);
  room_unlock(room);
  pthread_join(tape->writer, NULL);
  pthread_cond_destroy(&tape->wake);
  pthread_cond_destroy(&tape->caught);
  free(tape->path);
  free(tape->list_path);
  free(tape->ring);
}

int recorder_flush(simroom *room) {
  recorder *tape = &room->tape;
  room_advance(room, NULL);
  int64_t wanted = tape->end;
  struct timespec at = monotonic_after(FLUSH_NS);
  while (tape->path && !tape->error &&
         (tape->written < wanted || tape->list_is_stale || tape->is_writing)) {
    pthread_cond_signal(&tape->wake);
    if (pthread_cond_timedwait(&tape->caught, &room->lock, &at) == ETIMEDOUT)
      return -ETIMEDOUT;
  }
  return tape->error;
}
