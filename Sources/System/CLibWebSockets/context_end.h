#pragma once
#include <libwebsockets.h>
#include <malloc.h>
#include <uv.h>

// What ending a context of libwebsockets on a loop of ours takes beyond its own calls. Read
// in 4.1.6:
//
// 1. The descriptor of a context's event pipe is closed twice: inside lws_context_destroy
//    (lws_plat_pipe_close), and when libuv has closed its handle (__lws_close_free_wsi_final). By
//    then the number may be another thread's. Our code runs between the two and makes the second
//    one find no descriptor. The library has no call for that, so the field is found by its value,
//    and proved by the library's own lws_get_socket_fd before it is believed.
// 2. The second lws_context_destroy frees the context with the timer and the idle handle inside.
//    libuv must have let go of them before: that takes two rounds of the loop, not a time.

typedef struct {
  int *descriptor_slot; // of the event pipe; NULL: not found, and nothing is changed
  uv_handle_t *timer;   // the handle that a loop lets go of last; NULL: not found
} clws_context_parts;

typedef struct {
  uv_handle_t *poll, *timer;
} clws_last_handles;

static inline void clws_note_last(uv_handle_t *handle, void *last) {
  if (handle->type == UV_POLL)
    ((clws_last_handles *)last)->poll = handle;
  if (handle->type == UV_TIMER)
    ((clws_last_handles *)last)->timer = handle;
}

// The handles that were made last on a loop: libuv keeps them in the order of their making.
static inline clws_last_handles clws_find_last_handles(uv_loop_t *loop) {
  clws_last_handles last = {NULL, NULL};
  uv_walk(loop, clws_note_last, &last);
  return last;
}

// Where a socket of libwebsockets keeps its descriptor.
static inline int *clws_descriptor_slot(struct lws *socket, int descriptor) {
  if (lws_get_socket_fd(socket) != descriptor)
    return NULL;
  size_t words = malloc_usable_size(socket) / sizeof(int);
  for (size_t word = 0; word < words; word++) {
    int *slot = (int *)socket + word;
    if (*slot != descriptor)
      continue;
    *slot = -1;
    int is_it = lws_get_socket_fd(socket) == -1;
    *slot = descriptor;
    if (is_it)
      return slot;
  }
  return NULL;
}

// The parts of a context that was made on `loop` just now and has no virtual host yet.
// `before`: what clws_find_last_handles said before it was made.
static inline clws_context_parts clws_find_parts(uv_loop_t *loop, clws_last_handles before) {
  clws_context_parts parts = {NULL, NULL};
  clws_last_handles last = clws_find_last_handles(loop);
  uv_os_fd_t descriptor = -1;
  if (last.timer != before.timer)
    parts.timer = last.timer;
  if (last.poll != before.poll && uv_fileno(last.poll, &descriptor) == 0)
    parts.descriptor_slot = clws_descriptor_slot((struct lws *)last.poll->data, descriptor);
  return parts;
}

typedef struct {
  const uv_handle_t *handle;
  int found;
} clws_search;

static inline void clws_compare(uv_handle_t *handle, void *search) {
  if (handle == ((clws_search *)search)->handle)
    ((clws_search *)search)->found = 1;
}

// Whether libuv still knows a handle, open or closing.
static inline int clws_is_known(uv_loop_t *loop, const uv_handle_t *handle) {
  clws_search search = {handle, 0};
  uv_walk(loop, clws_compare, &search);
  return search.found;
}
