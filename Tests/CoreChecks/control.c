#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "voice_realtime.h"

// Commits the crime that a sanitizer is there for: a run that ends well shows that the sanitizer is
// not at work, and that its silence elsewhere means nothing.

static int shared;

static void *touch(void *unused) {
  for (int i = 0; i < 100000; i++) {
    shared += 1;
  }
  return unused;
}

static void race(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, touch, NULL) == 0) {
    touch(NULL);
    pthread_join(other, NULL);
  }
}

static void overrun(void) {
  volatile char *bytes = malloc(16);
  volatile int index = 16;
  bytes[index] = 1;
  free((void *)bytes);
}

static void *volatile kept;

__attribute__((noinline)) static void block(void) VD_NONBLOCKING {
  kept = malloc(64);
}

int main(int count, char **arguments) {
  const char *crime = count > 1 ? arguments[1] : "";
  if (strcmp(crime, "thread") == 0) {
    race();
  } else if (strcmp(crime, "address") == 0) {
    overrun();
  } else if (strcmp(crime, "realtime") == 0) {
    block();
  } else {
    (void)printf("usage: control thread|address|realtime\n");
    return 64;
  }
  return 0;
}
