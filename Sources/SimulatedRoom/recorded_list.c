#include "recorded_list.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "room_clock.h"

int recorded_list_write(const recorded_list *list, const char *path) {
  char fresh[PATH_MAX];
  if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh)
    return -ENAMETOOLONG;
  FILE *file = fopen(fresh, "w");
  if (!file)
    return -errno;
  const room_acoustics *sound = &list->acoustics;
  fprintf(file,
          "{\"sample_rate\":%d,\"left\":\"microphone\",\"right\":\"speaker\","
          "\"echo_return_loss_db\":%g,\"delay_ms\":%g,\"rt60_ms\":%g,\"noise_dbfs\":%g,"
          "\"seed\":%u,\"utterances\":[",
          ROOM_RATE, sound->echo_return_loss_db, sound->delay_ms, sound->rt60_ms, sound->noise_dbfs,
          sound->seed);
  for (size_t i = 0; i < list->count; i++)
    fprintf(file, "%s\n{\"start_frame\":%lld,\"frames\":%lld}", i ? "," : "",
            (long long)list->utterances[i].start, (long long)list->utterances[i].frames);
  fputs("]}\n", file);
  bool failed = ferror(file) != 0;
  failed |= fclose(file) != 0;
  if (failed)
    return -EIO;
  return rename(fresh, path) ? -errno : 0;
}
