#ifndef VOICE_REALTIME_H
#define VOICE_REALTIME_H

/// Marks a function that may run on a realtime thread: no allocation, lock, system call or log.
/// clang checks it (`-Wfunction-effects`); gcc knows no such attribute.
#if defined(__clang__) && __has_attribute(nonblocking)
#define VD_NONBLOCKING __attribute__((nonblocking))
#else
#define VD_NONBLOCKING
#endif

#if defined(__cplusplus)
#define VD_BEGIN_DECLS extern "C" {
#define VD_END_DECLS }
#else
#define VD_BEGIN_DECLS
#define VD_END_DECLS
#endif

#endif
