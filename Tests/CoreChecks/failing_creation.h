#ifndef FAILING_CREATION_H
#define FAILING_CREATION_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Lets the `countdown`-th allocation from now on fail, once; 0 lets none fail. Counted are those
/// of the code under test: memory, threads and event descriptors; what a library makes for itself
/// counts as one.
void checks_fail_allocation(size_t countdown);

/// Whether the allocation that asks must fail. Of the wrapped functions only.
int checks_fails_now(void);

/// Calls `attempt` with its first allocation failing, then with its second, and so on, until it
/// succeeds; this notes a failure unless each of the others returned -ENOMEM (-EAGAIN for a thread,
/// -EMFILE for a descriptor) and left no descriptor open. What memory it left is the address
/// sanitizer's to tell.
/// - function: its name; Tests/sanitize-core.sh wants every public creation to be named once.
/// - attempt: makes it and, where that succeeded, destroys it again; result: 0 or -errno.
/// Result: how many allocations there are.
size_t checks_fail_each_allocation(const char *function, int (*attempt)(void *context),
                                   void *context);

#if defined(__cplusplus)
}
#endif

#endif
