#include "Protocol/Inbox.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace worker {

Inbox::Inbox(int descriptor, Channel &channel, JobShape shape)
    : descriptor_(descriptor), channel_(channel), shape_(shape) {}

void Inbox::open() {
  thread_ = std::thread([this] { run(); });
  thread_.detach(); // it lives as long as the process
}

Job Inbox::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  arrived_.wait(lock, [this] { return !ready_.empty(); });
  Job job = std::move(ready_.front());
  ready_.pop_front();
  running_ = job.request;
  busy_ = true;
  stop_ = false;
  return job;
}

void Inbox::finished(uint32_t request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  busy_ = false;
  channel_.forget(request);
}

void Inbox::run() {
  try {
    while (auto frame = readFrame(descriptor_))
      receive(std::move(*frame));
  } catch (const BrokenFrame &broken) {
    std::fprintf(stderr, "broken frame: %s\n", broken.what());
    channel_.error(0, "broken_frame", broken.what());
    _exit(2);
  }
  _exit(0);
}

void Inbox::receive(Frame &&frame) {
  if (frame.kind == FrameKind::audio)
    return append(frame.request, frame.payload);
  if (frame.kind == FrameKind::text)
    throw BrokenFrame("text frames go from the worker to the router only");
  const auto message = nlohmann::json::parse(frame.payload, nullptr, false);
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string())
    throw BrokenFrame("a control frame is no JSON object with a type");
  receiveControl(frame.request, message);
}

void Inbox::receiveControl(uint32_t request, const nlohmann::json &message) {
  const std::string type = message["type"];
  if (type == "start")
    return begin(request, message);
  if (type == "cancel")
    return cancel(request);
  if (type == "end") {
    const std::lock_guard<std::mutex> lock(mutex_);
    // A request refused or cancelled meanwhile is no longer open; its `end` means nothing.
    if (auto node = open_.extract(request))
      enqueueLocked(std::move(node.mapped()));
    return;
  }
  channel_.error(request, "bad_request", "No message is of type \"" + type + "\" here.");
}

void Inbox::begin(uint32_t request, const nlohmann::json &message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (open_.size() + ready_.size() >= bound)
    return channel_.error(request, "busy",
                          "Sixteen requests wait already; ask again when one of them is done.");
  const bool known = open_.count(request) != 0 || (busy_ && running_ == request) ||
                     std::any_of(ready_.begin(), ready_.end(),
                                 [&](const Job &job) { return job.request == request; });
  if (known)
    return channel_.error(request, "bad_request", "This request number is in use.");
  Job job;
  job.request = request;
  job.start = message;
  if (shape_ == JobShape::startAudioEnd)
    open_.emplace(request, std::move(job));
  else
    enqueueLocked(std::move(job));
}

void Inbox::append(uint32_t request, const std::string &payload) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = open_.find(request);
  if (found == open_.end())
    return; // refused or cancelled while these samples were on their way
  if (payload.size() % sizeof(int16_t) != 0)
    throw BrokenFrame("an audio frame holds half a sample");
  auto &audio = found->second.audio;
  const size_t samples = payload.size() / sizeof(int16_t);
  if (audio.size() + samples > maximumSamples) {
    open_.erase(found);
    return channel_.error(request, "audio_too_long",
                          "An utterance may last two minutes; end it earlier.");
  }
  const size_t had = audio.size();
  audio.resize(had + samples);
  std::memcpy(audio.data() + had, payload.data(), payload.size());
}

void Inbox::cancel(uint32_t request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(request);
  ready_.erase(std::remove_if(ready_.begin(), ready_.end(),
                              [&](const Job &job) { return job.request == request; }),
               ready_.end());
  const bool isRunning = busy_ && running_ == request;
  if (isRunning)
    stop_ = true;
  channel_.acknowledgeCancel(request);
  // Only the running request can still say something and must stay silenced until it is over.
  if (!isRunning)
    channel_.forget(request);
}

void Inbox::enqueueLocked(Job &&job) {
  job.complete = std::chrono::steady_clock::now();
  ready_.push_back(std::move(job));
  arrived_.notify_one();
}

} // namespace worker
