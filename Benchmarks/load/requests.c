// Requests over kept connections, one in flight on each.
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { REQUEST_BYTES = 4096 };

// What every request of a run is and what its answer is for.
typedef struct course {
  const load_target *target;
  int (*write)(struct course *course, load_connection *connection, char *request);
  void (*answered)(struct course *course, load_connection *connection, int status, double ms);
  load_connection *connections;
  load_sample sample;
  const char *path, *body, *first_id;
  FILE *ids;
  long sent, limit, done, refused;
} course;

static int send_next(course *course, load_connection *connection) {
  if (course->limit && course->sent >= course->limit)
    return 0;
  char request[REQUEST_BYTES];
  int count = course->write(course, connection, request);
  course->sent++;
  connection->started_ns = load_now_ns();
  return load_send(connection, request, (size_t)count);
}

static int take(course *course, load_connection *connection) {
  int more = load_read(connection);
  size_t length, body;
  int status = load_response(connection, &length, &body);
  if (status == 0)
    return more <= 0 ? -ECONNRESET : 0;
  if (status < 0)
    return -EPROTO;
  double ms = (double)(load_now_ns() - connection->started_ns) * 1e-6;
  course->answered(course, connection, status, ms);
  load_consume(connection, length);
  course->done++;
  return send_next(course, connection);
}

// Runs until the time is over, the limit is reached or the server is gone.
static int run(course *course) {
  const load_target *target = course->target;
  course->connections = calloc((size_t)target->connections, sizeof *course->connections);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (!course->connections || epoll < 0)
    return -ENOMEM;
  for (int index = 0; index < target->connections; index++) {
    load_connection *connection = &course->connections[index];
    int result = load_connect(connection, target);
    if (result)
      return result;
    connection->number = index;
    struct epoll_event event = {EPOLLIN, {.ptr = connection}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event);
    result = send_next(course, connection);
    if (result)
      return result;
  }
  uint64_t end = load_now_ns() + (uint64_t)(target->seconds * 1e9);
  int failure = 0;
  while (!failure && load_now_ns() < end && (!course->limit || course->done < course->limit)) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, 100);
    for (int index = 0; index < count && !failure; index++)
      failure = take(course, events[index].data.ptr);
  }
  for (int index = 0; index < target->connections; index++)
    load_close(&course->connections[index]);
  free(course->connections);
  close(epoll);
  return failure;
}

static void report(course *course, double seconds, int failure) {
  printf("{\"requests\":%ld,\"refused\":%ld,\"seconds\":%.6f,\"p50_ms\":%.4f,\"p99_ms\":%.4f,"
         "\"failure\":%d}\n",
         course->done, course->refused, seconds, load_percentile(&course->sample, 0.5),
         load_percentile(&course->sample, 0.99), -failure);
  free(course->sample.values);
}

static int measure(course *course) {
  uint64_t start = load_now_ns();
  int failure = run(course);
  report(course, (double)(load_now_ns() - start) * 1e-9, failure);
  return 0;
}

static void note(course *course, load_connection *connection, int status, double ms) {
  (void)connection;
  if (status >= 300) {
    course->refused++;
    return;
  }
  load_add(&course->sample, ms);
}

static int write_get(course *course, load_connection *connection, char *request) {
  (void)connection;
  return snprintf(request, REQUEST_BYTES, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", course->path,
                  course->target->headers);
}

int load_get(const load_target *target, const char *path) {
  course course = {.target = target, .write = write_get, .answered = note, .path = path};
  return measure(&course);
}

static int write_post(course *course, const char *path, const char *body, char *request) {
  return snprintf(request, REQUEST_BYTES,
                  "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                  "Content-Length: %zu\r\n%s\r\n%s",
                  path, strlen(body), course->target->headers, body);
}

static int write_query(course *course, load_connection *connection, char *request) {
  (void)connection;
  return write_post(course, course->path, course->body, request);
}

int load_query(const load_target *target, const char *path, const char *body, int requests) {
  course course = {.target = target,
                   .write = write_query,
                   .answered = note,
                   .path = path,
                   .body = body,
                   .limit = requests};
  return measure(&course);
}

// The id carries what its title must be, so that a check needs no other record.
static int write_create(course *course, load_connection *connection, char *request) {
  char body[256];
  connection->sent = (size_t)course->sent;
  snprintf(body, sizeof body, "{\"id\":\"%s-%ld\",\"title\":\"title of %s-%ld\"}", course->first_id,
           course->sent, course->first_id, course->sent);
  return write_post(course, "/v1/agents/sessions", body, request);
}

static void note_created(course *course, load_connection *connection, int status, double ms) {
  note(course, connection, status, ms);
  // Written down after the answer only: what stands in the file was acknowledged.
  if (status == 201 && course->ids) {
    fprintf(course->ids, "%s-%zu\n", course->first_id, connection->sent);
  }
}

int load_create(const load_target *target, const char *ids_path, const char *first_id) {
  course course = {
      .target = target, .write = write_create, .answered = note_created, .first_id = first_id};
  if (ids_path)
    course.ids = fopen(ids_path, "a");
  measure(&course);
  if (course.ids)
    fclose(course.ids);
  return 0;
}
