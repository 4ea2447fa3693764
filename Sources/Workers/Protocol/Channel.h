#pragma once
#include "Protocol/Frame.h"
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace worker {

/// The way to the router. Any thread may send; frames never interleave.
///
/// A cancelled request is silenced here, in the same critical section that sends its
/// acknowledgement, so that nothing of it can follow.
class Channel {
public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}

  void control(uint32_t request, const nlohmann::json &message);
  void text(uint32_t request, std::string_view piece);
  /// Ends one request with an error; the worker itself goes on.
  void error(uint32_t request, const std::string &code, const std::string &message);

  /// Sends `cancelled` and drops everything of the request from now on.
  void acknowledgeCancel(uint32_t request);
  /// The request's work is over: its number may be forgotten.
  void forget(uint32_t request);

private:
  void send(FrameKind kind, uint32_t request, const char *payload, size_t bytes);
  void writeLocked(const std::string &bytes);

  int descriptor_;
  std::mutex mutex_;
  std::set<uint32_t> silenced_;
};

} // namespace worker
