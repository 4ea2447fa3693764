// A disk that behaves badly on purpose, under SQLite: preloaded into a router, it becomes SQLite's
// default VFS.
//
// STORE_FAULTS names what it does, separated by commas:
//   sync_us=N    every sync takes exactly N microseconds (and does nothing else)
//   sync=off     a sync says that it is done and makes nothing durable: the negative control
//   power=N      the power fails at the Nth write, truncation or sync: everything not synced is
//                dropped, torn and reordered, and the process is gone
//   seed=N       decides what is left of what was not synced
//
// Sectors have 512 bytes. Of each, any version since the last sync of its file may be what is left,
// or the beginning of one version and the rest of the one before. A file that was never synced may
// be gone.
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECTOR = 512, FILE_LIMIT = 16 };

// One change since the last sync.
typedef struct change {
  struct change *next;
  sqlite3_int64 offset;
  sqlite3_int64 size; // of a truncation; -1 for a write
  int count;
  unsigned char bytes[];
} change;

// What is known of a file that is open.
typedef struct {
  char *path;
  unsigned char *durable; // contents as of the last sync
  sqlite3_int64 durable_size;
  bool was_synced; // its name is durable too
  change *first, *last;
} tracked;

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
  tracked *tracked;
} faulty_file;

static struct {
  long sync_us;
  bool sync_is_off, loses_power;
  long operations_left;
  uint64_t random;
} plan;

static sqlite3_vfs *real_vfs;
static tracked *files[FILE_LIMIT];

static uint64_t next_random(void) {
  // SplitMix64.
  uint64_t z = plan.random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void *keep(void *memory) {
  if (!memory)
    _exit(71);
  return memory;
}

// ---- the failing power

static void apply(unsigned char *image, sqlite3_int64 *size, const change *change) {
  if (change->size >= 0) {
    *size = change->size;
    return;
  }
  sqlite3_int64 end = change->offset + change->count;
  memcpy(image + change->offset, change->bytes, (size_t)change->count);
  if (end > *size)
    *size = end;
}

static sqlite3_int64 largest_size(const tracked *file) {
  sqlite3_int64 largest = file->durable_size;
  for (const change *change = file->first; change; change = change->next) {
    sqlite3_int64 end = change->size >= 0 ? change->size : change->offset + change->count;
    if (end > largest)
      largest = end;
  }
  return (largest + SECTOR - 1) / SECTOR * SECTOR;
}

// What is left of a file, written over what the process had made of it.
static void lose(tracked *file) {
  if (!file->was_synced && next_random() % 2) {
    unlink(file->path);
    return;
  }
  sqlite3_int64 capacity = largest_size(file);
  unsigned char *left = keep(calloc(1, (size_t)capacity + 1));
  unsigned char *image = keep(calloc(1, (size_t)capacity + 1));
  if (file->durable_size)
    memcpy(left, file->durable, (size_t)file->durable_size);
  memcpy(image, left, (size_t)capacity);
  sqlite3_int64 size = file->durable_size, left_size = size;
  // Each sector decides by itself whether it takes the next version, so that later ones may be
  // there and earlier ones not.
  for (const change *change = file->first; change; change = change->next) {
    apply(image, &size, change);
    if (next_random() % 2)
      left_size = size;
    if (change->size >= 0)
      continue;
    sqlite3_int64 start = change->offset / SECTOR * SECTOR;
    for (; start < change->offset + change->count; start += SECTOR) {
      uint64_t choice = next_random() % 4;
      if (choice < 2)
        memcpy(left + start, image + start, SECTOR);
      if (choice == 2)
        memcpy(left + start, image + start, next_random() % SECTOR);
    }
  }
  FILE *disk = fopen(file->path, "r+");
  if (disk) {
    fwrite(left, 1, (size_t)(left_size < capacity ? left_size : capacity), disk);
    fflush(disk);
    if (ftruncate(fileno(disk), left_size) != 0)
      _exit(71);
    fclose(disk);
  }
}

static void count_operation(void) {
  if (!plan.loses_power || --plan.operations_left > 0)
    return;
  for (int index = 0; index < FILE_LIMIT; index++)
    if (files[index])
      lose(files[index]);
  _exit(137);
}

// ---- bookkeeping

static void forget_changes(tracked *file) {
  while (file->first) {
    change *next = file->first->next;
    free(file->first);
    file->first = next;
  }
  file->last = NULL;
}

static void note(tracked *file, sqlite3_int64 offset, sqlite3_int64 size, const void *bytes,
                 int count) {
  change *made = keep(malloc(sizeof *made + (size_t)count));
  *made = (change){.offset = offset, .size = size, .count = count};
  if (count)
    memcpy(made->bytes, bytes, (size_t)count);
  if (file->last) {
    file->last->next = made;
  } else {
    file->first = made;
  }
  file->last = made;
}

static void make_durable(tracked *file) {
  sqlite3_int64 capacity = largest_size(file);
  file->durable = keep(realloc(file->durable, (size_t)capacity + 1));
  if (capacity > file->durable_size)
    memset(file->durable + file->durable_size, 0, (size_t)(capacity - file->durable_size));
  for (const change *change = file->first; change; change = change->next) {
    sqlite3_int64 before = file->durable_size;
    apply(file->durable, &file->durable_size, change);
    // What a truncation cut off is zero when the file grows again.
    if (file->durable_size < before)
      memset(file->durable + file->durable_size, 0, (size_t)(capacity - file->durable_size));
  }
  forget_changes(file);
  file->was_synced = true;
}

// Tracks a file, or goes on with one that was open before: closing makes nothing durable.
static tracked *track(const char *path, sqlite3_file *real) {
  int slot = -1;
  for (int index = 0; index < FILE_LIMIT; index++) {
    if (files[index] && strcmp(files[index]->path, path) == 0)
      return files[index];
    if (!files[index] && slot < 0)
      slot = index;
  }
  if (slot < 0)
    _exit(71);
  tracked *file = keep(calloc(1, sizeof *file));
  file->path = keep(strdup(path));
  real->pMethods->xFileSize(real, &file->durable_size);
  file->durable = keep(calloc(1, (size_t)file->durable_size + SECTOR));
  if (file->durable_size)
    real->pMethods->xRead(real, file->durable, (int)file->durable_size, 0);
  // A file that was there before this process is durable.
  file->was_synced = file->durable_size > 0;
  return files[slot] = file;
}

// ---- SQLite's file

#define REAL(file) (((faulty_file *)(file))->real)

static int file_close(sqlite3_file *file) {
  int result = REAL(file)->pMethods ? REAL(file)->pMethods->xClose(REAL(file)) : SQLITE_OK;
  sqlite3_free(REAL(file));
  return result;
}
static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}
static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  tracked *tracked = ((faulty_file *)file)->tracked;
  if (tracked) {
    note(tracked, offset, -1, bytes, count);
    count_operation();
  }
  return REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  tracked *tracked = ((faulty_file *)file)->tracked;
  if (tracked) {
    note(tracked, 0, size, NULL, 0);
    count_operation();
  }
  return REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  tracked *tracked = ((faulty_file *)file)->tracked;
  if (plan.sync_us) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    now.tv_nsec += plan.sync_us * 1000;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL) == EINTR) {
    }
    return SQLITE_OK;
  }
  if (!tracked)
    return REAL(file)->pMethods->xSync(REAL(file), flags);
  count_operation();
  // Nothing outside this process needs the real sync: what is durable is kept here.
  if (!plan.sync_is_off)
    make_durable(tracked);
  return SQLITE_OK;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int file_lock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xLock(REAL(file), level);
}
static int file_unlock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xUnlock(REAL(file), level);
}
static int file_check_lock(sqlite3_file *file, int *result) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int file_sector_size(sqlite3_file *file) {
  (void)file;
  return SECTOR;
}
static int file_characteristics(sqlite3_file *file) {
  (void)file;
  return 0; // No promise at all: appends and small writes may tear.
}
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **map) {
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, map);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) {
  REAL(file)->pMethods->xShmBarrier(REAL(file));
}
static int file_shm_unmap(sqlite3_file *file, int remove) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), remove);
}

// Version 2: without memory-mapped reading and writing, which would go past us.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                    int *out_flags) {
  (void)vfs;
  faulty_file *made = (faulty_file *)file;
  *made = (faulty_file){.real = sqlite3_malloc(real_vfs->szOsFile)};
  if (!made->real)
    return SQLITE_NOMEM;
  memset(made->real, 0, (size_t)real_vfs->szOsFile);
  int result = real_vfs->xOpen(real_vfs, path, made->real, flags, out_flags);
  if (result != SQLITE_OK) {
    sqlite3_free(made->real);
    return result;
  }
  // Temporary files are of no one's concern after a loss of power.
  bool is_kept = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
  if (path && is_kept && plan.loses_power)
    made->tracked = track(path, made->real);
  made->base.pMethods = &methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_directory) {
  (void)vfs;
  for (int index = 0; index < FILE_LIMIT; index++) {
    tracked *file = files[index];
    if (!file || strcmp(file->path, path) != 0)
      continue;
    forget_changes(file);
    free(file->durable);
    free(file->path);
    free(file);
    files[index] = NULL;
  }
  return real_vfs->xDelete(real_vfs, path, sync_directory);
}

static void read_plan(const char *text) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    if (sscanf(word, "sync_us=%ld", &plan.sync_us) == 1)
      continue;
    if (strcmp(word, "sync=off") == 0) {
      plan.sync_is_off = true;
    } else if (sscanf(word, "power=%ld", &plan.operations_left) == 1) {
      plan.loses_power = true;
    } else if (sscanf(word, "seed=%lu", &plan.random) != 1) {
      fprintf(stderr, "STORE_FAULTS: %s is unknown\n", word);
      _exit(64);
    }
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("STORE_FAULTS");
  if (!text || sqlite3_initialize() != SQLITE_OK)
    return;
  read_plan(text);
  real_vfs = sqlite3_vfs_find(NULL);
  static sqlite3_vfs faulty;
  faulty = *real_vfs;
  faulty.zName = "store-faults";
  faulty.szOsFile = sizeof(faulty_file);
  faulty.xOpen = vfs_open;
  faulty.xDelete = vfs_delete;
  sqlite3_vfs_register(&faulty, 1);
}
