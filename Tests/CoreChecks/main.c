#include <opus.h>
#include <samplerate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { CASES_MAX = 128 };

typedef struct {
  const char *name;
  void (*run)(void);
} check_case;

static check_case cases[CASES_MAX];
static size_t case_count;
static int failures_of_case;
static uint32_t random_state;
static size_t allocations_until_failure;

static const uint32_t SEED = 2463534242u;

void checks_register(const char *name, void (*run)(void)) {
  if (case_count == CASES_MAX) {
    (void)fprintf(stderr, "more than %d cases: raise CASES_MAX\n", CASES_MAX);
    abort();
  }
  cases[case_count++] = (check_case){.name = name, .run = run};
}

void checks_expect(int holds, const char *condition, const char *file, int line) {
  if (!holds) {
    failures_of_case += 1;
    (void)printf("%s:%d: does not hold: %s\n", file, line, condition);
  }
}

uint32_t checks_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

uint32_t checks_random_below(uint32_t bound) {
  return checks_random() % bound;
}

void checks_fail_allocation(size_t countdown) {
  allocations_until_failure = countdown;
}

static int fails_now(void) {
  return allocations_until_failure > 0 && --allocations_until_failure == 0;
}

// The linker's --wrap sends the code under test here.
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes) {
  return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  return fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return fails_now() ? NULL : __real_aligned_alloc(alignment, bytes);
}

// What libraries allocate for themselves fails as a whole.
OpusDecoder *__real_opus_decoder_create(opus_int32 rate, int channels, int *error);
OpusEncoder *__real_opus_encoder_create(opus_int32 rate, int channels, int application, int *error);
SRC_STATE *__real_src_new(int converter, int channels, int *error);
OpusDecoder *__wrap_opus_decoder_create(opus_int32 rate, int channels, int *error);
OpusEncoder *__wrap_opus_encoder_create(opus_int32 rate, int channels, int application, int *error);
SRC_STATE *__wrap_src_new(int converter, int channels, int *error);

OpusDecoder *__wrap_opus_decoder_create(opus_int32 rate, int channels, int *error) {
  if (fails_now()) {
    *error = OPUS_ALLOC_FAIL;
    return NULL;
  }
  return __real_opus_decoder_create(rate, channels, error);
}

OpusEncoder *__wrap_opus_encoder_create(opus_int32 rate, int channels, int application,
                                        int *error) {
  if (fails_now()) {
    *error = OPUS_ALLOC_FAIL;
    return NULL;
  }
  return __real_opus_encoder_create(rate, channels, application, error);
}

SRC_STATE *__wrap_src_new(int converter, int channels, int *error) {
  static const int MALLOC_FAILED = 1; // SRC_ERR_MALLOC_FAILED of the library's own header
  if (fails_now()) {
    *error = MALLOC_FAILED;
    return NULL;
  }
  return __real_src_new(converter, channels, error);
}

int main(void) {
  int passed = 0;
  int failed = 0;
  for (size_t i = 0; i < case_count; i++) {
    failures_of_case = 0;
    random_state = SEED;
    cases[i].run();
    checks_fail_allocation(0);
    const int is_good = failures_of_case == 0;
    passed += is_good;
    failed += !is_good;
    (void)printf("  %s %s\n", is_good ? "passed" : "FAILED", cases[i].name);
    (void)fflush(stdout);
  }
  (void)printf("%d passed, %d failed\n", passed, failed);
  // Before a sanitizer's last word ends the process.
  (void)fflush(stdout);
  return failed == 0 ? 0 : 1;
}
