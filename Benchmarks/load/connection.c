#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

uint64_t load_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void load_sleep_until(uint64_t ns) {
  struct timespec until = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

int load_connect(load_connection *connection, const load_target *target) {
  memset(connection, 0, sizeof *connection);
  connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection->fd < 0)
    return -errno;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)target->port)};
  inet_pton(AF_INET, target->host, &address.sin_addr);
  if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0) {
    int failure = -errno;
    close(connection->fd);
    return failure;
  }
  int yes = 1;
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  fcntl(connection->fd, F_SETFL, O_NONBLOCK);
  connection->is_open = true;
  return 0;
}

void load_close(load_connection *connection) {
  if (connection->is_open)
    close(connection->fd);
  connection->is_open = false;
  free(connection->input);
  connection->input = NULL;
  connection->length = connection->capacity = 0;
}

int load_read(load_connection *connection) {
  for (;;) {
    if (connection->capacity - connection->length < 4096) {
      size_t capacity = connection->capacity ? connection->capacity * 2 : 4096;
      char *input = realloc(connection->input, capacity + 1);
      if (!input)
        return -ENOMEM;
      connection->input = input;
      connection->capacity = capacity;
      continue;
    }
    size_t room = connection->capacity - connection->length;
    ssize_t count = read(connection->fd, connection->input + connection->length, room);
    if (count == 0)
      return 0;
    if (count < 0)
      return errno == EAGAIN ? 1 : -errno;
    connection->length += (size_t)count;
    connection->input[connection->length] = 0;
    if ((size_t)count < room)
      return 1;
  }
}

void load_consume(load_connection *connection, size_t count) {
  connection->length -= count;
  memmove(connection->input, connection->input + count, connection->length);
  if (connection->length == 0) {
    // Ten thousand idle sockets must not keep ten thousand buffers.
    free(connection->input);
    connection->input = NULL;
    connection->capacity = 0;
  } else {
    connection->input[connection->length] = 0;
  }
}

int load_response(const load_connection *connection, size_t *length, size_t *body) {
  if (connection->length < 16)
    return 0;
  const char *end = strstr(connection->input, "\r\n\r\n");
  if (!end)
    return 0;
  size_t head = (size_t)(end - connection->input) + 4;
  size_t content = 0;
  for (const char *line = connection->input; line < end; line++) {
    line = strstr(line, "\r\n");
    if (!line || line >= end)
      break;
    line += 2;
    if (strncasecmp(line, "content-length:", 15) == 0)
      content = strtoul(line + 15, NULL, 10);
  }
  if (connection->length < head + content)
    return 0;
  *length = head + content;
  *body = head;
  int status = 0;
  return sscanf(connection->input, "HTTP/1.1 %d", &status) == 1 ? status : -1;
}

int load_send(load_connection *connection, const void *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t sent = send(connection->fd, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
    if (sent >= 0) {
      done += (size_t)sent;
    } else if (errno == EAGAIN) {
      struct pollfd wait = {connection->fd, POLLOUT, 0};
      poll(&wait, 1, 1000);
    } else {
      return -errno;
    }
  }
  return 0;
}

int load_upgrade(load_connection *connection, const load_target *target, const char *path) {
  char request[4096];
  int count = snprintf(request, sizeof request,
                       "GET %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: Upgrade\r\n"
                       "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n",
                       path, target->host, target->port, target->headers);
  if (count < 0 || (size_t)count >= sizeof request)
    return -EMSGSIZE;
  int result = load_send(connection, request, (size_t)count);
  if (result)
    return result;
  for (int waited = 0; waited < 100; waited++) {
    struct pollfd wait = {connection->fd, POLLIN, 0};
    poll(&wait, 1, 100);
    result = load_read(connection);
    size_t length, body;
    int status = load_response(connection, &length, &body);
    if (status == 101) {
      load_consume(connection, body);
      return 0;
    }
    if (status)
      return status;
    if (result <= 0)
      return result ? result : -ECONNRESET;
  }
  return -ETIMEDOUT;
}

bool load_frame(const load_connection *connection, size_t *length, const char **payload,
                size_t *payload_length, int *opcode) {
  const unsigned char *bytes = (const unsigned char *)connection->input;
  if (connection->length < 2)
    return false;
  size_t head = 2;
  uint64_t count = bytes[1] & 127;
  if (count == 126) {
    head = 4;
    if (connection->length < head)
      return false;
    count = (uint64_t)bytes[2] << 8 | bytes[3];
  } else if (count == 127) {
    head = 10;
    if (connection->length < head)
      return false;
    count = 0;
    for (int index = 2; index < 10; index++)
      count = count << 8 | bytes[index];
  }
  if (connection->length < head + count)
    return false;
  *length = head + count;
  *payload = connection->input + head;
  *payload_length = count;
  *opcode = bytes[0] & 15;
  return true;
}

int load_send_frame(load_connection *connection, int opcode, const char *bytes, size_t count) {
  unsigned char frame[1024 + 8];
  if (count > 1000)
    return -EMSGSIZE;
  size_t head = count < 126 ? 2 : 4;
  frame[0] = (unsigned char)(0x80 | opcode);
  frame[1] = (unsigned char)(0x80 | (count < 126 ? count : 126));
  if (head == 4) {
    frame[2] = (unsigned char)(count >> 8);
    frame[3] = (unsigned char)count;
  }
  memset(frame + head, 0, 4); // A mask of zeros leaves the payload as it is.
  memcpy(frame + head + 4, bytes, count);
  return load_send(connection, frame, head + 4 + count);
}

void load_add(load_sample *sample, double value) {
  if (sample->count == sample->capacity) {
    size_t capacity = sample->capacity ? sample->capacity * 2 : 4096;
    double *values = realloc(sample->values, capacity * sizeof *values);
    if (!values)
      return;
    sample->values = values;
    sample->capacity = capacity;
  }
  sample->values[sample->count++] = value;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double load_percentile(load_sample *sample, double share) {
  if (sample->count == 0)
    return -1;
  qsort(sample->values, sample->count, sizeof *sample->values, ascending);
  size_t index = (size_t)(share * (double)(sample->count - 1) + 0.5);
  return sample->values[index];
}
