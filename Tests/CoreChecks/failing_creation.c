#include "failing_creation.h"

#include <alsa/asoundlib.h>
#include <dirent.h>
#include <errno.h>
#include <opus.h>
#include <pthread.h>
#include <samplerate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "checks.h"

// The linker's --wrap sends the code under test here. What a library makes for itself fails whole.

// Of the thread that set it: what others allocate meanwhile is not meant.
static _Thread_local size_t until_failure;

void checks_fail_allocation(size_t countdown) {
  until_failure = countdown;
}

int checks_fails_now(void) {
  return until_failure > 0 && --until_failure == 0;
}

#define WRAPPED(result, name, ...)                                                                 \
  result __real_##name(__VA_ARGS__);                                                               \
  result __wrap_##name(__VA_ARGS__);                                                               \
  result __wrap_##name(__VA_ARGS__)

WRAPPED(void *, malloc, size_t bytes) {
  return checks_fails_now() ? NULL : __real_malloc(bytes);
}

WRAPPED(void *, calloc, size_t count, size_t bytes) {
  return checks_fails_now() ? NULL : __real_calloc(count, bytes);
}

WRAPPED(void *, realloc, void *memory, size_t bytes) {
  return checks_fails_now() ? NULL : __real_realloc(memory, bytes);
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t bytes) {
  return checks_fails_now() ? NULL : __real_aligned_alloc(alignment, bytes);
}

WRAPPED(int, posix_memalign, void **out, size_t alignment, size_t bytes) {
  return checks_fails_now() ? ENOMEM : __real_posix_memalign(out, alignment, bytes);
}

WRAPPED(char *, strdup, const char *text) {
  return checks_fails_now() ? NULL : __real_strdup(text);
}

WRAPPED(OpusDecoder *, opus_decoder_create, opus_int32 rate, int channels, int *error) {
  if (!checks_fails_now())
    return __real_opus_decoder_create(rate, channels, error);
  *error = OPUS_ALLOC_FAIL;
  return NULL;
}

WRAPPED(OpusEncoder *, opus_encoder_create, opus_int32 rate, int channels, int application,
        int *error) {
  if (!checks_fails_now())
    return __real_opus_encoder_create(rate, channels, application, error);
  *error = OPUS_ALLOC_FAIL;
  return NULL;
}

WRAPPED(SRC_STATE *, src_new, int converter, int channels, int *error) {
  static const int MALLOC_FAILED = 1; // SRC_ERR_MALLOC_FAILED of the library's own header
  if (!checks_fails_now())
    return __real_src_new(converter, channels, error);
  *error = MALLOC_FAILED;
  return NULL;
}

WRAPPED(int, snd_pcm_open, snd_pcm_t **out, const char *name, snd_pcm_stream_t stream, int mode) {
  return checks_fails_now() ? -ENOMEM : __real_snd_pcm_open(out, name, stream, mode);
}

WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
        void *(*run)(void *), void *context) {
  return checks_fails_now() ? EAGAIN : __real_pthread_create(thread, attributes, run, context);
}

WRAPPED(int, eventfd, unsigned count, int flags) {
  if (!checks_fails_now())
    return __real_eventfd(count, flags);
  errno = EMFILE;
  return -1;
}

enum {
  /// Allocations of one creation at most; the search for the last one ends here.
  ALLOCATIONS_MAX = 300,
};

/// Descriptors this process has open.
static size_t open_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  size_t count = 0;
  while (folder != NULL && readdir(folder) != NULL)
    count++;
  if (folder != NULL)
    (void)closedir(folder);
  return count;
}

size_t checks_fail_each_allocation(const char *function, int (*attempt)(void *context),
                                   void *context) {
  // What a library keeps after its first use is no leak of a failure.
  const int warm = attempt(context);
  CHECK(warm == 0);
  const size_t descriptors = open_descriptors();
  size_t failing = 1;
  for (; failing < ALLOCATIONS_MAX; failing++) {
    checks_fail_allocation(failing);
    const int result = attempt(context);
    const int was_reached = until_failure == 0;
    checks_fail_allocation(0);
    if (result == 0) {
      // A success although an allocation failed would be a creation that lost something unseen.
      CHECK(!was_reached);
      break;
    }
    CHECK(result == -ENOMEM || result == -EAGAIN || result == -EMFILE);
    CHECK(open_descriptors() == descriptors);
  }
  CHECK(failing > 1 && failing < ALLOCATIONS_MAX);
  (void)printf("    %s: each of its %zu allocations failed once\n", function, failing - 1);
  return failing - 1;
}
