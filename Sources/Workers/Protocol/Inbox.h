#pragma once
#include "Protocol/Channel.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace worker {

/// A request that is complete and can be worked on.
struct Job {
  uint32_t request = 0;
  nlohmann::json start;       ///< the `start` message
  std::vector<int16_t> audio; ///< what came between `start` and `end`, where a role takes audio
  std::chrono::steady_clock::time_point complete; ///< when its last part arrived
};

/// Which message completes a request.
enum class JobShape {
  startOnly,     ///< `start` says everything
  startAudioEnd, ///< `start`, audio frames, `end`
};

/// Reads standard input on a thread of its own, so that a cancel is seen while the engine works.
///
/// The end of the stream ends the process with 0 at once: whoever asked is gone. A broken frame
/// ends it with 2.
class Inbox {
public:
  /// Requests that may wait behind the running one.
  static constexpr size_t bound = 16;
  /// Samples one request may carry: two minutes at 16 kHz.
  static constexpr size_t maximumSamples = 120 * 16000;

  Inbox(int descriptor, Channel &channel, JobShape shape);

  /// Starts the reading thread.
  void open();
  /// The next complete request, in the order of arrival; blocks. Clears `stop`.
  Job next();
  /// Says that the request returned by `next` is over.
  void finished(uint32_t request);
  /// True as soon as the running request was cancelled; engines poll it from inside their graphs.
  const std::atomic<bool> &stop() const {
    return stop_;
  }

private:
  void run();
  void receive(Frame &&frame);
  void receiveControl(uint32_t request, const nlohmann::json &message);
  void begin(uint32_t request, const nlohmann::json &message);
  void append(uint32_t request, const std::string &payload);
  void cancel(uint32_t request);
  void enqueueLocked(Job &&job);

  int descriptor_;
  Channel &channel_;
  JobShape shape_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<uint32_t, Job> open_; ///< begun, not yet complete
  std::deque<Job> ready_;
  uint32_t running_ = 0;
  bool busy_ = false;
  std::atomic<bool> stop_{false};
};

} // namespace worker
