// The reference of live_cpu_ratio: the plain pipeline on an ALSA device. It includes no header of
// the product.
#include "bench_native.h"

#include <alsa/asoundlib.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/// As any audio program asks for; refused, it goes on without.
static const int FIFO_PRIORITY = 40;

enum { RATE = 48000, BLOCK = 480, PREFILL_BLOCKS = 3, BUFFER_US = 40000, RESTARTS_MAX = 50 };

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int open_pcm(snd_pcm_t **out, const char *name, snd_pcm_stream_t stream) {
  int result = snd_pcm_open(out, name, stream, 0);
  if (result < 0)
    return result;
  return snd_pcm_set_params(*out, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 1, RATE, 0,
                            BUFFER_US);
}

static int16_t to_pcm16(float value) {
  float scaled = value * 32768.0f;
  return scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : (int16_t)lrintf(scaled);
}

/// Starts both directions, at first and after an xrun.
static int start(snd_pcm_t *capture, snd_pcm_t *playback) {
  const int16_t silence[BLOCK] = {0};
  (void)snd_pcm_drop(capture);
  (void)snd_pcm_drop(playback);
  int result = snd_pcm_prepare(capture);
  if (result == 0)
    result = snd_pcm_prepare(playback);
  for (int i = 0; result == 0 && i < PREFILL_BLOCKS; i++)
    if (snd_pcm_writei(playback, silence, BLOCK) != BLOCK)
      result = -EIO;
  if (result == 0 && snd_pcm_state(playback) == SND_PCM_STATE_PREPARED)
    result = snd_pcm_start(playback);
  return result;
}

/// Reads a block, processes it, writes a block.
static int turn(snd_pcm_t *capture, snd_pcm_t *playback, plain_pipeline *pipeline,
                const plain_input *input, size_t block, plain_output *output) {
  int16_t samples[BLOCK];
  float microphone[BLOCK];
  snd_pcm_sframes_t got = snd_pcm_readi(capture, samples, BLOCK);
  if (got != BLOCK)
    return got < 0 ? (int)got : -EIO;
  for (int i = 0; i < BLOCK; i++)
    microphone[i] = (float)samples[i] / 32768.0f;
  if (plain_pipeline_block(pipeline, input, block, microphone, output) < 0)
    return -EINVAL;
  const float *speaker = output->speaker + block * BLOCK;
  for (int i = 0; i < BLOCK; i++)
    samples[i] = to_pcm16(speaker[i]);
  snd_pcm_sframes_t put = snd_pcm_writei(playback, samples, BLOCK);
  return put == BLOCK ? 0 : put < 0 ? (int)put : -EIO;
}

int plain_device_run(const char *pcm, plain_pipeline *pipeline, const plain_input *input,
                     size_t measured_from, plain_output *output, double *cpu_seconds) {
  struct sched_param fifo = {.sched_priority = FIFO_PRIORITY}, before;
  int policy = SCHED_OTHER;
  pthread_getschedparam(pthread_self(), &policy, &before);
  (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &fifo);
  snd_pcm_t *capture = NULL, *playback = NULL;
  int result = open_pcm(&capture, pcm, SND_PCM_STREAM_CAPTURE);
  if (result == 0)
    result = open_pcm(&playback, pcm, SND_PCM_STREAM_PLAYBACK);
  if (result == 0)
    result = start(capture, playback);
  int restarts = 0;
  output->packet_count = output->voiced_windows = 0;
  double begun = 0;
  for (size_t block = 0; result == 0 && block < input->blocks; block++) {
    if (block == measured_from)
      begun = thread_seconds();
    result = turn(capture, playback, pipeline, input, block, output);
    // A busy machine: it begins again, with the block after.
    if (result == -EPIPE && ++restarts <= RESTARTS_MAX)
      result = start(capture, playback);
  }
  *cpu_seconds = thread_seconds() - begun;
  (void)pthread_setschedparam(pthread_self(), policy, &before);
  if (playback)
    snd_pcm_close(playback);
  if (capture)
    snd_pcm_close(capture);
  return result;
}
