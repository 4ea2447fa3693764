#ifndef STREAM_H
#define STREAM_H

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <alsa/pcm_ioplug.h>
#include <stdbool.h>
#include <stdint.h>

struct simroom;

/// Largest buffer in frames: well below the air's memory.
#define STREAM_MAX_BUFFER 65536

typedef enum {
  STREAM_STOPPED,
  STREAM_RUNNING,
  STREAM_XRUN,
  STREAM_SUSPENDED,
  STREAM_GONE ///< its device was unplugged
} stream_phase;

/// One direction of the device. Its own thread is the one that makes the ALSA calls; the room's
/// lock protects the rest of it.
typedef struct room_stream {
  snd_pcm_ioplug_t io; ///< own thread only
  struct simroom *room;
  bool captures;
  unsigned only_channel; ///< with sound, from 1; 0: all
  unsigned line_channel; ///< with what the speaker plays instead, from 1; 0: none
  int timer;             ///< readable when the application may go on
  int64_t armed_ns;      ///< for when it is set; 0: off
  stream_phase phase;
  bool draining;       ///< the end of what was written is no underrun
  double rate;         ///< its frames for each of the room's: its rate, and its drift
  int64_t start;       ///< room's frame of this stream's frame 0; grows with every stall
  int64_t hardware;    ///< frames the device has played or captured
  int64_t application; ///< frames the application has written or read
  float *queue;        ///< mono, `capacity` frames, by frame modulo capacity
  float past[3];       ///< newest last: what was played, or what the room sounded like
  float *line;         ///< likewise what the speaker played, NULL where no channel has it
  float line_past[3];
  int64_t capacity;
  int64_t period;
  int64_t avail_min;
  int64_t stop_threshold;
  unsigned resumes_that_lie; ///< so many resumes answer 0 and change nothing
} room_stream;

/// Frames the application may write or read.
int64_t stream_avail(const room_stream *stream);
/// The room's frame at which the stream's frame `frame` is over the counter.
int64_t stream_room_frame(const room_stream *stream, int64_t frame);
/// Gives the stream another rate from the room's frame `now` on, without a jump.
void stream_set_rate(room_stream *stream, double rate, int64_t now);
/// Fills a block from the room's frame `frame` with what is played then, silence elsewhere.
/// Result: frames played.
size_t stream_play(room_stream *stream, int64_t frame, float *out, size_t count);
/// Delivers a block heard from the room's frame `frame` on.
/// - line: what the speaker played meanwhile.
/// Result: the offset and number of frames
/// delivered in `*first` and the result.
size_t stream_capture(room_stream *stream, int64_t frame, const float *in, const float *line,
                      size_t count, size_t *first);
/// Ends the running state and wakes whoever waits.
void stream_fail(room_stream *stream, stream_phase phase);
/// Whether poll returns now.
bool stream_is_ready(const room_stream *stream);
/// Sets the timer to the next moment the application has to act.
void stream_arm(room_stream *stream);

#endif
