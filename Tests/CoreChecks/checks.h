#ifndef CHECKS_H
#define CHECKS_H

#include <stddef.h>
#include <stdint.h>

// A few lines of test frame for the C parts, because the sanitizers of the toolchain's clang run in
// a plain C program, not in a Swift test. A file of cases needs no registration elsewhere.

/// Defines and registers a case.
#define CHECK_CASE(name)                                                                           \
  static void name(void);                                                                          \
  __attribute__((constructor)) static void register_##name(void) {                                 \
    checks_register(#name, name);                                                                  \
  }                                                                                                \
  static void name(void)

/// Notes a failure unless `condition` holds.
#define CHECK(condition) checks_expect((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

void checks_register(const char *name, void (*run)(void));
void checks_expect(int holds, const char *condition, const char *file, int line);

/// The next of a seeded sequence of random numbers (xorshift); each case begins with one seed.
uint32_t checks_random(void);
/// A random number below `bound`.
uint32_t checks_random_below(uint32_t bound);

#endif
