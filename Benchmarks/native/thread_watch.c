// Counts the system calls of one thread from outside it: a child process traces that thread, so
// that what libraries ask of the kernel directly is seen too.
#include "thread_watch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Between the library half and the tracer: what the thread asks once in its life is over by then.
#define SETTLE_NS 50000000
/// Longest wait for the tracer to take hold.
#define ATTACH_MS 2000

/// Shared with the tracer.
typedef struct {
  thread_calls calls;
  _Atomic int attached; ///< 1 when it has taken hold, else -errno
  _Atomic bool stopping;
} shared_counts;

struct thread_watch {
  shared_counts *shared;
  pid_t tracer;
};

static void sleep_ns(long duration) {
  struct timespec pause = {.tv_nsec = duration};
  nanosleep(&pause, NULL);
}

static pid_t find_thread(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  pid_t found = 0;
  struct dirent *entry;
  while (tasks && !found && (entry = readdir(tasks))) {
    char path[300], line[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file)) {
      line[strcspn(line, "\n")] = 0;
      if (strcmp(line, name) == 0)
        found = (pid_t)atol(entry->d_name);
    }
    if (file)
      fclose(file);
  }
  if (tasks)
    closedir(tasks);
  return found;
}

// ---- In the tracer: nothing but system calls, for it is a child of a program with threads.

/// What a descriptor of the traced process is: its link in /proc begins like this.
static bool is_kind(const char *process, int descriptor, const char *kind) {
  char path[64], target[64] = "";
  snprintf(path, sizeof path, "%s/fd/%d", process, descriptor);
  ssize_t length = readlink(path, target, sizeof target - 1);
  return length > 0 && strncmp(target, kind, strlen(kind)) == 0;
}

static void count(thread_calls *calls, const char *process,
                  const struct __ptrace_syscall_info *info) {
  int descriptor = (int)info->entry.args[0];
  switch (info->entry.nr) {
  case SYS_poll:
  case SYS_ppoll:
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
    calls->polls++;
    return;
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
    calls->sleeps++;
    return;
  case SYS_futex:
    calls->futexes++;
    return;
  case SYS_restart_syscall:
    return;
  case SYS_write:
    if (is_kind(process, descriptor, "anon_inode:[eventfd]")) {
      calls->wakes++;
      return;
    }
    break;
  default:
    break;
  }
  bool is_on_card = info->entry.nr == SYS_ioctl || info->entry.nr == SYS_read ||
                    info->entry.nr == SYS_write || info->entry.nr == SYS_timerfd_settime ||
                    info->entry.nr == SYS_timerfd_gettime;
  if (is_on_card && (is_kind(process, descriptor, "/dev/snd/") ||
                     is_kind(process, descriptor, "anon_inode:[timerfd]"))) {
    calls->card++;
    return;
  }
  if (calls->others++ == 0)
    calls->first_other = (int64_t)info->entry.nr;
}

static void ignore(int signal) {
  (void)signal;
}

static void trace(shared_counts *shared, pid_t thread, const char *process) {
  // Interrupts the wait below; without SA_RESTART, or it would go on.
  struct sigaction action = {.sa_handler = ignore};
  sigaction(SIGUSR1, &action, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) != 0 ||
      ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) {
    atomic_store(&shared->attached, -errno);
    return;
  }
  bool is_interrupted = false;
  for (;;) {
    int status;
    pid_t stopped = waitpid(thread, &status, __WALL);
    if (stopped < 0 && errno == EINTR) {
      if (atomic_load(&shared->stopping) && !is_interrupted) {
        is_interrupted = true;
        ptrace(PTRACE_INTERRUPT, thread, 0, 0);
      }
      continue;
    }
    if (stopped < 0 || !WIFSTOPPED(status))
      return; // The thread is gone.
    if (atomic_load(&shared->stopping)) {
      ptrace(PTRACE_DETACH, thread, 0, 0);
      return;
    }
    atomic_store(&shared->attached, 1);
    long signal = 0;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
          info.op == PTRACE_SYSCALL_INFO_ENTRY)
        count(&shared->calls, process, &info);
    } else if (status >> 16 == 0) {
      signal = WSTOPSIG(status); // A signal of the thread's own is passed on.
    }
    ptrace(PTRACE_SYSCALL, thread, 0, signal);
  }
}

int thread_watch_begin(thread_watch **out, const char *name) {
  pid_t thread = find_thread(name);
  if (!thread)
    return -ESRCH;
  thread_watch *watch = calloc(1, sizeof *watch);
  if (!watch)
    return -ENOMEM;
  watch->shared =
      mmap(NULL, sizeof *watch->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (watch->shared == MAP_FAILED) {
    free(watch);
    return -ENOMEM;
  }
  call_counter_watch(thread);
  sleep_ns(SETTLE_NS);
  char process[32];
  snprintf(process, sizeof process, "/proc/%d", getpid());
  watch->tracer = fork();
  if (watch->tracer == 0) {
    trace(watch->shared, thread, process);
    _exit(0);
  }
  // Where the kernel asks for it: this child may trace us.
  prctl(PR_SET_PTRACER, watch->tracer, 0, 0, 0);
  int attached = 0;
  for (int ms = 0; watch->tracer > 0 && !attached && ms < ATTACH_MS; ms++) {
    sleep_ns(1000000);
    attached = atomic_load(&watch->shared->attached);
  }
  if (attached == 1) {
    *out = watch;
    return 0;
  }
  thread_calls unused;
  thread_watch_end(watch, &unused);
  return attached < 0 ? attached : -EIO;
}

int thread_watch_end(thread_watch *watch, thread_calls *calls) {
  atomic_store(&watch->shared->stopping, true);
  pid_t ended = 0;
  for (int ms = 0; watch->tracer > 0 && ended == 0 && ms < ATTACH_MS; ms++) {
    kill(watch->tracer, SIGUSR1);
    sleep_ns(1000000);
    ended = waitpid(watch->tracer, NULL, WNOHANG);
  }
  if (ended == 0 && watch->tracer > 0) {
    kill(watch->tracer, SIGKILL);
    waitpid(watch->tracer, NULL, 0);
  }
  *calls = watch->shared->calls;
  calls->library = call_counter_unwatch();
  munmap(watch->shared, sizeof *watch->shared);
  int result = ended == watch->tracer && ended > 0 ? 0 : -EIO;
  free(watch);
  return result;
}
