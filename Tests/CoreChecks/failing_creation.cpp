#include "failing_creation.h"

#include <new>

// As failing_creation.c, for the C++ shim.

extern "C" {
void *__real__Znwm(size_t bytes);
void *__wrap__Znwm(size_t bytes);
void *__real__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t &);
void *__wrap__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t &);

void *__wrap__Znwm(size_t bytes) {
  if (checks_fails_now())
    throw std::bad_alloc();
  return __real__Znwm(bytes);
}

void *__wrap__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t &tag) {
  return checks_fails_now() ? nullptr : __real__ZnwmRKSt9nothrow_t(bytes, tag);
}
}
