#include "speech_queue.h"

#include <assert.h>
#include <errno.h>

// Pieces of 10 ms or more fit for the whole waiting time.
enum { MESSAGES = 1024 };

int mt_speech_queue_init(speech_queue *queue, int rate_hz) {
  const size_t capacity = (size_t)rate_hz * SPEECH_WAITING_MAX_SECONDS;
  int result = vd_ring_create(&queue->samples, sizeof(int16_t), capacity);
  if (result == 0) {
    result = vd_ring_create(&queue->messages, sizeof(speech_segment), MESSAGES);
  }
  return result;
}

void mt_speech_queue_deinit(speech_queue *queue) {
  vd_ring_destroy(queue->samples);
  vd_ring_destroy(queue->messages);
}

static int has_room_for_a_message(const speech_queue *queue) {
  return vd_ring_fill(queue->messages) < vd_ring_capacity(queue->messages);
}

size_t mt_speech_queue_push(speech_queue *queue, uint32_t generation, int rate_hz,
                            const int16_t *samples, size_t count) {
  const size_t capacity = vd_ring_capacity(queue->samples);
  const size_t most = (size_t)rate_hz * SPEECH_WAITING_MAX_SECONDS;
  const size_t limit = most < capacity ? most : capacity;
  const size_t fill = vd_ring_fill(queue->samples);
  const size_t room = fill < limit ? limit - fill : 0;
  const size_t taken = count < room ? count : room;
  if (taken == 0 || !has_room_for_a_message(queue)) {
    return 0;
  }
  // Samples first: who sees the message finds them.
  const size_t pushed = vd_ring_push(queue->samples, samples, taken);
  assert(pushed == taken);
  const speech_segment message = {
      .generation = generation, .rate_hz = rate_hz, .samples = pushed, .has_ended = 0};
  const size_t told = vd_ring_push(queue->messages, &message, 1);
  assert(told == 1);
  (void)told;
  return pushed;
}

int mt_speech_queue_push_end(speech_queue *queue, uint32_t generation) {
  const speech_segment message = {
      .generation = generation, .rate_hz = 0, .samples = 0, .has_ended = 1};
  return vd_ring_push(queue->messages, &message, 1) == 1 ? 0 : -ENOBUFS;
}

void mt_speech_queue_collect(speech_queue *queue) VD_NONBLOCKING {
  speech_segment message;
  while (queue->count < SPEECH_SEGMENTS_MAX && vd_ring_pop(queue->messages, &message, 1) == 1) {
    if (queue->count > 0) {
      speech_segment *last =
          &queue->segments[(queue->first + queue->count - 1) % SPEECH_SEGMENTS_MAX];
      const int continues = last->generation == message.generation && !last->has_ended;
      if (continues && (message.has_ended || last->rate_hz == message.rate_hz)) {
        last->samples += message.samples;
        last->has_ended = message.has_ended;
        continue;
      }
    }
    queue->segments[(queue->first + queue->count) % SPEECH_SEGMENTS_MAX] = message;
    queue->count += 1;
  }
}

speech_segment *mt_speech_queue_front(speech_queue *queue) VD_NONBLOCKING {
  return queue->count == 0 ? NULL : &queue->segments[queue->first];
}

int mt_speech_queue_has_next(const speech_queue *queue) VD_NONBLOCKING {
  return queue->count > 1;
}

size_t mt_speech_queue_read(speech_queue *queue, int16_t *out, size_t count) VD_NONBLOCKING {
  speech_segment *front = mt_speech_queue_front(queue);
  if (front == NULL) {
    return 0;
  }
  const size_t wanted = count < front->samples ? count : front->samples;
  const size_t taken = vd_ring_pop(queue->samples, out, wanted);
  assert(taken == wanted);
  front->samples -= taken;
  return taken;
}

void mt_speech_queue_drop_front(speech_queue *queue) VD_NONBLOCKING {
  speech_segment *front = mt_speech_queue_front(queue);
  if (front == NULL) {
    return;
  }
  (void)vd_ring_discard(queue->samples, front->samples);
  queue->first = (queue->first + 1) % SPEECH_SEGMENTS_MAX;
  queue->count -= 1;
}
