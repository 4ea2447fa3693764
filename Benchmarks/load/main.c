#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int usage(void) {
  fputs("usage: bench-load get|create|query|fanout|idle|check ..., called by bench\n", stderr);
  return 64;
}

// Ten thousand clients need ten thousand descriptors.
static void raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **words) {
  if (count == 4 && strcmp(words[1], "check") == 0)
    return load_check(words[2], words[3]);
  if (count < 6)
    return usage();
  raise_limit();
  // bench-load VERB PORT HEADERS CONNECTIONS SECONDS ...
  load_target target = {"127.0.0.1", atoi(words[2]), words[3], atoi(words[4]), atof(words[5])};
  const char *verb = words[1];
  if (strcmp(verb, "get") == 0 && count == 7)
    return load_get(&target, words[6]);
  if (strcmp(verb, "create") == 0 && count == 8)
    return load_create(&target, words[7][0] ? words[7] : NULL, words[6]);
  if (strcmp(verb, "query") == 0 && count == 9)
    return load_query(&target, words[6], words[7], atoi(words[8]));
  if (strcmp(verb, "fanout") == 0 && count == 9)
    return load_fanout(&target, words[6], atof(words[7]), atoi(words[8]));
  if (strcmp(verb, "idle") == 0 && count == 6)
    return load_idle(&target);
  return usage();
}
