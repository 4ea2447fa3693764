// Counts what a realtime thread must not do. These definitions take the place of the C library's
// for the whole program, shared libraries included; counting is per thread and off by default.
#include "bench_native.h"
#include "thread_watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
extern char __executable_start, etext;

static _Thread_local bool is_counting;
static _Thread_local call_counts counts;
// The one other thread whose calls are counted from outside.
static _Atomic pid_t watched_thread;
static call_counts watched_counts;

/// Where the calling thread's calls are counted, or NULL.
static call_counts *active(void) {
  if (is_counting)
    return &counts;
  pid_t watched = atomic_load_explicit(&watched_thread, memory_order_acquire);
  if (!watched)
    return NULL;
  static _Thread_local pid_t own;
  if (!own)
    own = gettid();
  return own == watched ? &watched_counts : NULL;
}

static void *count_new(void *memory) {
  call_counts *here = active();
  if (here && memory) {
    here->allocations++;
    here->live_bytes += (int64_t)malloc_usable_size(memory);
    if (here->live_bytes > here->peak_bytes)
      here->peak_bytes = here->live_bytes;
  }
  return memory;
}

static void count_old(void *memory) {
  call_counts *here = active();
  if (here && memory) {
    here->frees++;
    here->live_bytes -= (int64_t)malloc_usable_size(memory);
  }
}

/// Counts a lock by who takes it: this program, the simulated room (which stands for a driver), or
/// another library.
static void count_lock(const char *caller) {
  call_counts *here = active();
  if (!here)
    return;
  if (caller >= &__executable_start && caller < &etext) {
    here->own_locks++;
    return;
  }
  struct dl_find_object object;
  bool is_room = _dl_find_object((void *)caller, &object) == 0 &&
                 strstr(object.dlfo_link_map->l_name, "SimulatedRoom");
  if (is_room)
    here->room_locks++;
  else
    here->library_locks++;
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

// Each way to take a lock. What waits in another way shows as a system call.
#define LOCKING(name, type)                                                                        \
  int name(type *lock) {                                                                           \
    static int (*next)(type *);                                                                    \
    if (!next)                                                                                     \
      next = (int (*)(type *))dlsym(RTLD_NEXT, #name);                                             \
    count_lock(__builtin_return_address(0));                                                       \
    return next(lock);                                                                             \
  }

LOCKING(pthread_mutex_lock, pthread_mutex_t)
LOCKING(pthread_mutex_trylock, pthread_mutex_t)
LOCKING(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCKING(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCKING(pthread_spin_lock, pthread_spinlock_t)

void call_counter_start(void) {
  counts = (call_counts){0};
  is_counting = true;
}

call_counts call_counter_stop(void) {
  is_counting = false;
  return counts;
}

void call_counter_watch(pid_t thread) {
  watched_counts = (call_counts){0};
  atomic_store_explicit(&watched_thread, thread, memory_order_release);
}

call_counts call_counter_unwatch(void) {
  atomic_store_explicit(&watched_thread, 0, memory_order_release);
  return watched_counts;
}
