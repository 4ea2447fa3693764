#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "failing_creation.h"

enum { CASES_MAX = 512 };

typedef struct {
  const char *name;
  void (*run)(void);
} check_case;

static check_case cases[CASES_MAX];
static size_t case_count;
static int failures_of_case;
static uint32_t random_state;

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

/// Arguments: parts of the names of the cases to run, and behind a minus sign of those to leave
/// out; without any of the first all are run.
static int is_wanted(const char *name, int count, char **arguments) {
  int is_named = 0;
  int are_named = 0;
  for (int i = 1; i < count; i++) {
    const int leaves_out = arguments[i][0] == '-';
    const int is_meant = strstr(name, arguments[i] + leaves_out) != NULL;
    if (leaves_out && is_meant)
      return 0;
    are_named |= !leaves_out;
    is_named |= !leaves_out && is_meant;
  }
  return is_named || !are_named;
}

int main(int count, char **arguments) {
  int passed = 0;
  int failed = 0;
  (void)printf("  seed %u\n", SEED);
  for (size_t i = 0; i < case_count; i++) {
    if (!is_wanted(cases[i].name, count, arguments))
      continue;
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
  return failed == 0 && passed > 0 ? 0 : 1;
}
