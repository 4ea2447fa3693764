#ifndef RECORDER_H
#define RECORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorded_list.h"
#include "wave_file.h"

/// Frames between the room and the file at most (5.5 s). Policy at the bound: the newest are
/// recorded as silence and counted, so the file keeps the room's time.
#define RECORDER_FRAMES (1 << 18)
enum { RECORDER_MICROPHONE = 0, RECORDER_SPEAKER = 1 };

/// What the room heard, on its way to a file. The room's lock protects all of it, except `file`,
/// which belongs to the writer thread.
typedef struct {
  char *path; ///< NULL: not recording
  char *list_path;
  int16_t *ring;         ///< stereo, zero wherever nothing was put
  int64_t end;           ///< frames before it are complete
  int64_t taken;         ///< frames before it are with the writer
  int64_t written;       ///< frames before it are in the file
  int64_t refused_until; ///< frames before it are counted as dropped already
  uint64_t dropped;
  int error; ///< errno that ended the recording, negative
  recorded_list list;
  bool list_is_stale;
  bool is_stopping;
  bool is_writing; ///< the writer is at the files, the room unlocked
  wave_file file;
  pthread_t writer;
  pthread_cond_t wake;   ///< for the writer
  pthread_cond_t caught; ///< the writer has written all there was
} recorder;

struct simroom;

/// Opens the files and starts the writer thread. Result: 0, -EBUSY, -ENOMEM or the errno of a file.
int recorder_start(struct simroom *room, const char *path);
/// Completes the files and ends the writer; the room is not locked.
void recorder_stop(struct simroom *room);
/// Puts samples of one channel; frames not put are silence.
void recorder_put(recorder *tape, int channel, int64_t frame, const float *samples, size_t count);
/// Declares every frame before `end` complete.
void recorder_commit(recorder *tape, int64_t end);
void recorder_note_utterance(recorder *tape, int64_t start, int64_t frames);
/// Waits for the writer, two seconds at most; the room is locked. Result: 0, -ETIMEDOUT or the
/// recording's error.
int recorder_flush(struct simroom *room);

#endif
