#ifndef THREAD_WATCH_H
#define THREAD_WATCH_H

#include <stdint.h>
#include <sys/types.h>

#include "bench_native.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// What one thread asked of the C library, of other libraries' locks and of the kernel. System
/// calls are those that a tracer in a process of its own sees, whoever made them; reading the clock
/// is none.
typedef struct {
  call_counts library; ///< allocations and locks
  uint64_t polls;      ///< poll and its kin
  uint64_t wakes;      ///< writes to an eventfd
  uint64_t card;       ///< on a sound card's descriptor, or on the timer of the simulated room
  uint64_t sleeps;     ///< waits on the clock
  uint64_t futexes;    ///< waits for a lock, or for who waits for one
  uint64_t others;     ///< everything else: a realtime thread has none
  int64_t first_other; ///< number of the first of those
} thread_calls;

/// A watch over one thread of this process.
typedef struct thread_watch thread_watch;

/// Starts to count what the thread of that name does. It runs slower while it is watched.
/// - name: as in /proc/self/task/*/comm, e.g. "voice-audio".
/// Result: 0, -ESRCH (no such thread), -EPERM (tracing is forbidden here) or another -errno.
int thread_watch_begin(thread_watch **out, const char *name);
/// Ends the watch. Result: 0, or -EIO when the tracer was lost on the way.
int thread_watch_end(thread_watch *watch, thread_calls *calls);

/// The half of it that the C library's stand-ins count.
void call_counter_watch(pid_t thread);
call_counts call_counter_unwatch(void);

#if defined(__cplusplus)
}
#endif

#endif
