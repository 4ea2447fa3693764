// Watchers of sessions: many of one, or one each of many.
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef struct {
  load_connection *connections;
  int count, stopped, epoll;
  load_sample delays;
  long deliveries, pings, closed;
} crowd;

static const char mark[] = "sent_ns ";

// Reads what came, notes how late each event is, answers pings.
static void take(crowd *crowd, load_connection *connection) {
  if (load_read(connection) <= 0) {
    epoll_ctl(crowd->epoll, EPOLL_CTL_DEL, connection->fd, NULL);
    crowd->closed++;
    return;
  }
  size_t length, count;
  const char *payload;
  int opcode;
  while (load_frame(connection, &length, &payload, &count, &opcode)) {
    if (opcode == 9) {
      crowd->pings++;
      load_send_frame(connection, 10, payload, count);
    } else if (opcode == 1) {
      const char *sent = memmem(payload, count, mark, sizeof mark - 1);
      if (sent) {
        uint64_t ns = strtoull(sent + sizeof mark - 1, NULL, 10);
        load_add(&crowd->delays, (double)(load_now_ns() - ns) * 1e-6);
        crowd->deliveries++;
      }
    }
    load_consume(connection, length);
  }
}

static void pump(crowd *crowd, uint64_t until) {
  for (;;) {
    uint64_t now = load_now_ns();
    if (now >= until)
      return;
    struct epoll_event events[256];
    int wait = (int)((until - now) / 1000000u) + 1;
    int count = epoll_wait(crowd->epoll, events, 256, wait);
    for (int index = 0; index < count; index++)
      take(crowd, events[index].data.ptr);
  }
}

static int join(crowd *crowd, const load_target *target, const char *path, int index, bool reads) {
  load_connection *connection = &crowd->connections[index];
  int result = load_connect(connection, target);
  if (result)
    return result;
  if (!reads) {
    // A small window, so that a reader that stops is soon a full one.
    result = load_upgrade(connection, target, path);
    crowd->stopped++;
    return result;
  }
  result = load_upgrade(connection, target, path);
  if (result)
    return result;
  connection->number = index;
  struct epoll_event event = {EPOLLIN, {.ptr = connection}};
  epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, connection->fd, &event);
  return 0;
}

static int post(const load_target *target, load_connection *poster, const char *path,
                const char *body) {
  char request[4096];
  int count = snprintf(request, sizeof request,
                       "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       "Content-Length: %zu\r\n%s\r\n%s",
                       path, strlen(body), target->headers, body);
  return load_send(poster, request, (size_t)count);
}

// Waits for the answer to a post, for at most ten seconds: a second one behind it would end the
// connection.
static int await_answer(crowd *crowd, load_connection *poster) {
  size_t length = 0, body;
  int status = 0;
  for (uint64_t limit = load_now_ns() + 10000000000u; !status;) {
    if (load_now_ns() > limit || load_read(poster) <= 0)
      return -ETIMEDOUT;
    status = load_response(poster, &length, &body);
    if (!status)
      pump(crowd, load_now_ns() + 1000000u);
  }
  load_consume(poster, length);
  return status == 201 ? 0 : -EPROTO;
}

// The last line of a driver that waits for one on standard input before it measures.
static void wait_for_line(void) {
  char line[16];
  if (!fgets(line, sizeof line, stdin))
    exit(1);
}

int load_fanout(const load_target *target, const char *session, double events_per_second,
                int stopped) {
  crowd crowd = {.count = target->connections};
  crowd.connections = calloc((size_t)crowd.count + 1, sizeof *crowd.connections);
  crowd.epoll = epoll_create1(EPOLL_CLOEXEC);
  char path[256], messages[256];
  snprintf(path, sizeof path, "/v1/agents/sessions/%s/events?channel=true", session);
  snprintf(messages, sizeof messages, "/v1/agents/sessions/%s/channel/messages", session);
  for (int index = 0; index < crowd.count; index++) {
    int result = join(&crowd, target, path, index, index >= stopped);
    if (result) {
      printf("{\"failure\":%d,\"joined\":%d}\n", result, index);
      return 1;
    }
  }
  load_connection poster;
  if (load_connect(&poster, target))
    return 1;
  pump(&crowd, load_now_ns() + 500000000u);
  printf("{\"joined\":%d}\n", crowd.count);
  fflush(stdout);
  wait_for_line();
  uint64_t start = load_now_ns();
  long events = (long)(target->seconds * events_per_second);
  int failure = 0;
  for (long event = 0; event < events && !failure; event++) {
    char body[512];
    // 180 bytes of an event, as in the recorded reference.
    snprintf(body, sizeof body,
             "{\"text\":\"%s%llu .......................................................\"}", mark,
             (unsigned long long)load_now_ns());
    failure = post(target, &poster, messages, body);
    if (!failure)
      failure = await_answer(&crowd, &poster);
    pump(&crowd, start + (uint64_t)((double)(event + 1) * 1e9 / events_per_second));
  }
  pump(&crowd, load_now_ns() + 500000000u);
  printf("{\"events\":%ld,\"deliveries\":%ld,\"p50_ms\":%.4f,\"p99_ms\":%.4f,\"closed\":%ld,"
         "\"failure\":%d}\n",
         events, crowd.deliveries, load_percentile(&crowd.delays, 0.5),
         load_percentile(&crowd.delays, 0.99), crowd.closed, failure);
  return 0;
}

// Opens one session a connection and watches it, then only answers pings.
int load_idle(const load_target *target) {
  crowd crowd = {.count = target->connections};
  crowd.connections = calloc((size_t)crowd.count, sizeof *crowd.connections);
  crowd.epoll = epoll_create1(EPOLL_CLOEXEC);
  load_connection poster;
  if (load_connect(&poster, target))
    return 1;
  for (int index = 0; index < crowd.count; index++) {
    char body[64], path[128];
    snprintf(body, sizeof body, "{\"id\":\"idle-%d\"}", index);
    if (post(target, &poster, "/v1/agents/sessions", body))
      return 1;
    size_t length = 0, start;
    int status = 0;
    for (uint64_t limit = load_now_ns() + 10000000000u; !status && load_now_ns() < limit;) {
      load_read(&poster);
      status = load_response(&poster, &length, &start);
    }
    if (status)
      load_consume(&poster, length);
    snprintf(path, sizeof path, "/v1/agents/sessions/idle-%d/events?v=2", index);
    int result = status == 201 ? join(&crowd, target, path, index, true) : status;
    if (result || status != 201) {
      printf("{\"failure\":%d,\"joined\":%d}\n", result, index);
      return 1;
    }
    if (index % 256 == 0)
      pump(&crowd, load_now_ns() + 1000000u);
  }
  pump(&crowd, load_now_ns() + 2000000000u);
  printf("{\"joined\":%d}\n", crowd.count);
  fflush(stdout);
  wait_for_line();
  pump(&crowd, load_now_ns() + (uint64_t)(target->seconds * 1e9));
  printf("{\"pings\":%ld,\"closed\":%ld}\n", crowd.pings, crowd.closed);
  fflush(stdout);
  wait_for_line();
  return 0;
}
