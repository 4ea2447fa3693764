#ifndef SPEECH_QUEUE_H
#define SPEECH_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "voice_ring.h"

/// Longest speech that waits to be encoded, in seconds.
enum { SPEECH_WAITING_MAX_SECONDS = 10 };

/// Speech of one generation that waits: `samples` in the ring, at `rate_hz`.
typedef struct {
  uint32_t generation;
  int rate_hz;
  size_t samples;
  uint8_t has_ended; ///< no more of this generation will come
} speech_segment;

enum { SPEECH_SEGMENTS_MAX = 32 };

/// Speech on its way from the control thread to the media thread: samples in one ring, what they
/// belong to in another.
typedef struct {
  vd_ring *samples;  // int16_t
  vd_ring *messages; // speech_segment
  // The media thread's own:
  speech_segment segments[SPEECH_SEGMENTS_MAX];
  size_t first;
  size_t count;
} speech_queue;

/// - rate_hz: the ring holds 10 s at this rate.
int mt_speech_queue_init(speech_queue *queue, int rate_hz);
void mt_speech_queue_deinit(speech_queue *queue);
/// Appends speech. Result: samples taken. Role: control.
size_t mt_speech_queue_push(speech_queue *queue, uint32_t generation, int rate_hz,
                            const int16_t *samples, size_t count);
/// Marks the end of a generation. Result: 0 or -ENOBUFS. Role: control.
int mt_speech_queue_push_end(speech_queue *queue, uint32_t generation);

/// Takes in what control pushed. Role: media.
void mt_speech_queue_collect(speech_queue *queue) VD_NONBLOCKING;
/// The oldest segment, or NULL. Role: media.
speech_segment *mt_speech_queue_front(speech_queue *queue) VD_NONBLOCKING;
/// Whether another segment waits behind the oldest. Role: media.
int mt_speech_queue_has_next(const speech_queue *queue) VD_NONBLOCKING;
/// Takes samples of the oldest segment. Role: media.
size_t mt_speech_queue_read(speech_queue *queue, int16_t *out, size_t count) VD_NONBLOCKING;
/// Removes the oldest segment with what is left of it. Role: media.
void mt_speech_queue_drop_front(speech_queue *queue) VD_NONBLOCKING;

#endif
