// The reference of fanout_cpu_ratio: one epoll loop, written for this alone, that sends each
// message it is told to all WebSockets that are open. It speaks as much HTTP as `bench-load fanout`
// needs. Usage: fanout-epoll; prints its port.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 16384, HEAD = 4096 };

static struct client {
  int length;
  char is_socket;
  char head[HEAD];
} * clients[CLIENTS];
static int watchers[CLIENTS], watcher_count;

// The key of `bench-load` is always the same, and so is its answer; it does not check it.
static const char upgraded[] =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
static const char created[] = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";

static void drop(int fd) {
  for (int index = 0; index < watcher_count; index++)
    if (watchers[index] == fd)
      watchers[index] = watchers[--watcher_count];
  free(clients[fd]);
  clients[fd] = NULL;
  close(fd);
}

static void broadcast(const char *text, size_t count) {
  unsigned char frame[HEAD];
  char event[HEAD];
  // What a router puts around a text, so that both send as many bytes.
  int length = snprintf(event, sizeof event,
                        "{\"type\":\"message.new\",\"message\":%.*s,\"id\":"
                        "\"0190a8f2-0000-7000-8000-000000000000\",\"role\":\"user\"}",
                        (int)count, text);
  frame[0] = 0x81;
  frame[1] = 126;
  frame[2] = (unsigned char)(length >> 8);
  frame[3] = (unsigned char)length;
  memcpy(frame + 4, event, (size_t)length);
  for (int index = 0; index < watcher_count; index++)
    if (send(watchers[index], frame, (size_t)length + 4, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
        errno != EAGAIN)
      shutdown(watchers[index], SHUT_RDWR);
}

static void take(int fd) {
  struct client *client = clients[fd];
  ssize_t count = read(fd, client->head + client->length, (size_t)(HEAD - 1 - client->length));
  if (count <= 0) {
    if (count == 0 || errno != EAGAIN)
      drop(fd);
    return;
  }
  if (client->is_socket)
    return;
  client->length += (int)count;
  client->head[client->length] = 0;
  char *end = strstr(client->head, "\r\n\r\n");
  if (!end)
    return;
  const char *length = strcasestr(client->head, "content-length:");
  size_t body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
  if (client->length < (int)(end + 4 - client->head) + (int)body)
    return;
  if (strncmp(client->head, "GET", 3) == 0) {
    client->is_socket = 1;
    watchers[watcher_count++] = fd;
    (void)!write(fd, upgraded, sizeof upgraded - 1);
  } else {
    broadcast(end + 4, body);
    (void)!write(fd, created, sizeof created - 1);
  }
  client->length = 0;
}

int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max < CLIENTS ? limit.rlim_max : CLIENTS;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024) ||
      getsockname(listener, (struct sockaddr *)&address, &size))
    return 1;
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.fd = listener}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, 256, -1);
    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;
      if (fd != listener) {
        if (clients[fd])
          take(fd);
        continue;
      }
      while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= CLIENTS || !(clients[fd] = calloc(1, sizeof **clients))) {
          close(fd);
          continue;
        }
        int yes = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        event = (struct epoll_event){EPOLLIN, {.fd = fd}};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
      }
    }
  }
}
