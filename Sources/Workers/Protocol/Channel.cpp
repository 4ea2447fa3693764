#include "Protocol/Channel.h"
#include <cerrno>
#include <unistd.h>

namespace worker {

namespace {

/// Model output is not always valid UTF-8; a message must be.
std::string serialize(const nlohmann::json &message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

void Channel::control(uint32_t request, const nlohmann::json &message) {
  const std::string body = serialize(message);
  send(FrameKind::control, request, body.data(), body.size());
}

void Channel::text(uint32_t request, std::string_view piece) {
  if (!piece.empty())
    send(FrameKind::text, request, piece.data(), piece.size());
}

void Channel::error(uint32_t request, const std::string &code, const std::string &message) {
  control(request, {{"type", "error"}, {"code", code}, {"message", message}});
}

void Channel::acknowledgeCancel(uint32_t request) {
  const std::string body = serialize({{"type", "cancelled"}});
  const std::lock_guard<std::mutex> lock(mutex_);
  silenced_.insert(request);
  writeLocked(encodeFrame(FrameKind::control, request, body.data(), body.size()));
}

void Channel::forget(uint32_t request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  silenced_.erase(request);
}

void Channel::send(FrameKind kind, uint32_t request, const char *payload, size_t bytes) {
  const std::string frame = encodeFrame(kind, request, payload, bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (silenced_.count(request) == 0)
    writeLocked(frame);
}

void Channel::writeLocked(const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR)
      continue;
    // Nobody reads any more: the router is gone, and so is the reason to work.
    if (put <= 0)
      _exit(0);
    done += static_cast<size_t>(put);
  }
}

} // namespace worker
