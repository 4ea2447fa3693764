// Clients of a router in a process of their own, for its benches: they must not share its CPU time
// or its descriptors. Results are one JSON object a line on standard output.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *host;
  int port;
  // Header lines of every request, each with CR LF.
  const char *headers;
  int connections;
  double seconds;
} load_target;

// One non-blocking connection with what was read of it.
typedef struct {
  int fd;
  char *input;
  size_t length, capacity;
  uint64_t started_ns;
  int number;
  // How much of the request in flight was sent.
  size_t sent;
  bool is_open;
} load_connection;

uint64_t load_now_ns(void);
void load_sleep_until(uint64_t ns);

// 0 or -errno. The socket is connected and non-blocking.
int load_connect(load_connection *connection, const load_target *target);
void load_close(load_connection *connection);

// Reads what is there. 1 = more may come, 0 = the peer closed, -errno.
int load_read(load_connection *connection);
// Drops the first `count` bytes read.
void load_consume(load_connection *connection, size_t count);

// The status of a complete HTTP response at the start of the input; 0 = incomplete, -1 = broken.
// `length` is set to the bytes it takes, `body` to where its body starts.
int load_response(const load_connection *connection, size_t *length, size_t *body);

// Sends everything, waiting where it must. 0 or -errno.
int load_send(load_connection *connection, const void *bytes, size_t count);

// Opens a WebSocket at `path`, blocking for at most ten seconds. 0, or the HTTP status, or -errno.
int load_upgrade(load_connection *connection, const load_target *target, const char *path);

// The payload of a complete WebSocket frame at the start of the input; false = incomplete.
// `opcode` as in RFC 6455.
bool load_frame(const load_connection *connection, size_t *length, const char **payload,
                size_t *payload_length, int *opcode);

// Sends one masked frame. 0 or -errno.
int load_send_frame(load_connection *connection, int opcode, const char *bytes, size_t count);

// A sample of durations; grows as needed.
typedef struct {
  double *values;
  size_t count, capacity;
} load_sample;

void load_add(load_sample *sample, double value);
// The value below which `share` of the sample lies; sorts it. -1 when it is empty.
double load_percentile(load_sample *sample, double share);

int load_get(const load_target *target, const char *path);
int load_create(const load_target *target, const char *ids_path, const char *first_id);
int load_query(const load_target *target, const char *path, const char *body, int requests);
int load_fanout(const load_target *target, const char *session, double events_per_second,
                int stopped);
int load_idle(const load_target *target);
int load_check(const char *database, const char *ids_path);
