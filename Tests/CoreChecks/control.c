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

static void *volatile kept;

static void leak(void) {
  kept = malloc(64);
  kept = NULL;
}

static void overflow(void) {
  volatile int largest = 2147483647;
  largest = largest + 1;
}

static void overrun(void) {
  volatile char *bytes = malloc(16);
  volatile int index = 16;
  bytes[index] = 1;
  free((void *)bytes);
}

__attribute__((noinline)) static void block(void) VD_NONBLOCKING {
  kept = malloc(64);
}

static const struct {
  const char *name;
  void (*commit)(void);
} crimes[] = {
    {"race", race}, {"overrun", overrun}, {"leak", leak}, {"overflow", overflow}, {"block", block}};

int main(int count, char **arguments) {
  for (size_t i = 0; count > 1 && i < sizeof crimes / sizeof *crimes; i++) {
    if (strcmp(arguments[1], crimes[i].name) == 0) {
      crimes[i].commit();
      return 0;
    }
  }
  (void)fprintf(stderr, "usage: control race|overrun|leak|overflow|block\n");
  return 64;
}
