#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct whisper_context;

namespace worker {

/// What was understood.
struct Transcript {
  std::string text;   ///< "" when there was no speech
  float noSpeech = 0; ///< the recogniser's own probability that nobody spoke
};

/// Whisper tiny.en, decoding one utterance at a time. One thread calls it; `stop` may be set by
/// another and ends a call within a few milliseconds.
class Recogniser {
public:
  /// Samples a second the recogniser wants.
  static constexpr int rate = 16000;

  Recogniser(const std::string &modelPath, int threads, const std::atomic<bool> &stop);
  ~Recogniser();
  Recogniser(const Recogniser &) = delete;
  Recogniser &operator=(const Recogniser &) = delete;

  /// The words of one utterance; nothing when it was stopped.
  /// @throws std::runtime_error when the engine fails otherwise.
  std::optional<Transcript> transcribe(const std::vector<int16_t> &audio);

private:
  whisper_context *context_;
  int threads_;
  const std::atomic<bool> &stop_;
};

} // namespace worker
