// Counts what a realtime thread must not do. These definitions take the place of the C library's
// for the whole program, shared libraries included; counting is per thread and off by default.
#include "bench_native.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
extern char __executable_start, etext;

static _Thread_local bool is_counting;
static _Thread_local call_counts counts;

static void *count_new(void *memory) {
  if (is_counting && memory) {
    counts.allocations++;
    counts.live_bytes += (int64_t)malloc_usable_size(memory);
    if (counts.live_bytes > counts.peak_bytes)
      counts.peak_bytes = counts.live_bytes;
  }
  return memory;
}

static void count_old(void *memory) {
  if (is_counting && memory) {
    counts.frees++;
    counts.live_bytes -= (int64_t)malloc_usable_size(memory);
  }
}

void *malloc(size_t size) {
  return count_new(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
  return count_new(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size) {
  count_old(memory);
  return count_new(__libc_realloc(memory, size));
}

void *memalign(size_t alignment, size_t size) {
  return count_new(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  return count_new(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *memory = count_new(__libc_memalign(alignment, size));
  if (!memory)
    return ENOMEM;
  *out = memory;
  return 0;
}

void free(void *memory) {
  count_old(memory);
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*next)(pthread_mutex_t *);
  if (!next)
    next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (is_counting) {
    const char *caller = __builtin_return_address(0);
    if (caller >= &__executable_start && caller < &etext)
      counts.own_locks++;
    else
      counts.library_locks++;
  }
  return next(mutex);
}

void call_counter_start(void) {
  counts = (call_counts){0};
  is_counting = true;
}

call_counts call_counter_stop(void) {
  is_counting = false;
  return counts;
}
