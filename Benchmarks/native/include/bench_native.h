#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

// ---- The plain pipeline: what a careful person writes directly over the libraries. Its file
// includes no header of ours.

/// A speech detector from outside, so that both sides pay for the same one.
typedef float (*plain_detector)(void *context, const float *window);

typedef struct {
  const float *microphone;       ///< blocks of 480 frames at 48 kHz
  const uint8_t *const *packets; ///< one Opus packet of 20 ms for every second block
  const int32_t *packet_bytes;
  size_t blocks;                 ///< even
  size_t reference_delay_blocks; ///< between writing a block and hearing it
  size_t skipped_frames;         ///< of the uplink, so that its timestamps are capture frames
  plain_detector detect;
  void *detector;
} plain_input;

typedef struct {
  float *speaker;    ///< blocks of 480 frames
  uint8_t *payloads; ///< `payload_stride` bytes for each packet of the uplink
  size_t payload_stride;
  int32_t *payload_bytes;
  size_t packet_count;
  size_t voiced_windows;
} plain_output;

typedef struct plain_pipeline plain_pipeline;

/// Result: 0 or -1. The settings are those of the core: complexity 5, VOIP, in-band FEC.
int plain_pipeline_create(plain_pipeline **out, int bit_rate, int loss_pct);
void plain_pipeline_run(plain_pipeline *pipeline, const plain_input *input, plain_output *output);
/// One block of it; `block` counts from 0. Result: 0, or -1 when the decoder refused a packet.
int plain_pipeline_block(plain_pipeline *pipeline, const plain_input *input, size_t block,
                         const float *microphone, plain_output *output);
void plain_pipeline_destroy(plain_pipeline *pipeline);

/// The same on an ALSA device, as a careful person writes it: blocking reads and writes of 10 ms,
/// three of them ahead. The microphone of `input` is not used.
/// - measured_from: block from which the CPU time counts.
/// - cpu_seconds: receives the CPU time of the calling thread from there on.
/// Result: 0, or the negative errno of alsa-lib.
int plain_device_run(const char *pcm, plain_pipeline *pipeline, const plain_input *input,
                     size_t measured_from, plain_output *output, double *cpu_seconds);

// ---- A ring by hand: one producer, one consumer, indices cached on both sides.

typedef struct hand_ring hand_ring;

hand_ring *hand_ring_create(size_t capacity);
void hand_ring_destroy(hand_ring *ring);
int hand_ring_push(hand_ring *ring, uint64_t value);
int hand_ring_pop(hand_ring *ring, uint64_t *value);

typedef int (*ring_push)(void *ring, uint64_t value);
typedef int (*ring_pop)(void *ring, uint64_t *value);

/// Moves `count` elements from one thread to another. Result: wall nanoseconds an element, or -1
/// when an element was lost or came out of order.
double ring_cross_core_ns(void *ring, ring_push push, ring_pop pop, uint64_t count);

// ---- What the calling thread asks of the C library while counting; `malloc`, `free` and the locks
// of the whole program go through this. For what another thread does, see thread_watch.h.

typedef struct {
  uint64_t allocations;
  uint64_t frees;
  uint64_t own_locks;     ///< called from this program's own code
  uint64_t library_locks; ///< called from shared libraries
  uint64_t room_locks;    ///< called from the simulated room, which stands for a card's driver
  int64_t live_bytes;
  int64_t peak_bytes;
} call_counts;

void call_counter_start(void);
call_counts call_counter_stop(void);

#if defined(__cplusplus)
}
#endif

#endif
