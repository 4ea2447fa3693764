#ifndef ROOM_H
#define ROOM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "air.h"
#include "fault_script.h"
#include "near_end.h"
#include "recorder.h"
#include "room_clock.h"
#include "simroom.h"
#include "speaker_line.h"
#include "stream.h"

/// Rooms of one process at most.
#define ROOM_COUNT 32
/// The room works in blocks of this many frames: 10 ms.
#define ROOM_BLOCK 480

/// Index of a room's streams.
enum { ROOM_PLAYBACK = 0, ROOM_CAPTURE = 1 };

/// All of a room. `lock` protects everything in it; it inherits priority, because a realtime audio
/// thread takes it inside the ALSA calls.
struct simroom {
  char name[64];
  pthread_mutex_t lock;
  room_clock clock;
  air space;
  near_end person;
  recorder tape;
  room_stream *streams[2];
  int64_t microphone_end; ///< first frame the microphone has not heard yet
  int plugged;            ///< mask of the directions
  double ppm[2];          ///< by which a stream's clock is fast
  int64_t told_latency;   ///< between the playback buffer and the air, as the device tells
  int64_t hidden_latency; ///< and what it does not tell
  speaker_line line;
  fault_script script;
  uint64_t counters[SIMROOM_COUNTERS];
};

/// Finds or makes a room; `*made` says which. Result: NULL when there is no space.
simroom *room_named(const char *name, bool *made);
/// Stops the recording and frees the room. Result: 0 or -EBUSY.
int room_remove(simroom *room);
void room_lock(simroom *room);
void room_unlock(simroom *room);
/// Brings the room to the present.
/// - caller: the stream on whose thread this runs, NULL for others. Only the capture stream's own
///   thread knows what has been read, so others advance the microphone only when nobody listens or
///   the buffer must have overrun.
void room_advance(simroom *room, const room_stream *caller);
/// Changes the acoustics; the room is locked. `path` NULL makes an impulse response.
int room_set_acoustics(simroom *room, const room_acoustics *acoustics, const char *path);
/// Moves a manual clock in blocks, so that no stream misses a deadline between two of them.
void room_move(simroom *room, int64_t frames);
/// Sets what lies between the playback buffer and the air. Result: 0 or -EINVAL.
int room_set_latency(simroom *room, int64_t told, int64_t hidden);
/// Gives a direction's clock its drift, from now on.
void room_set_drift(simroom *room, int index, double ppm);
/// Carries out a fault; the room is locked.
int room_inject(simroom *room, int fault, int directions, int64_t frames);

#endif
