#pragma once
#include "LanguageModel/ChatPrompt.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>

namespace worker {

/// How a reply ended and what it cost.
struct Reply {
  bool cut = false;     ///< the token limit came before the end
  int inputTokens = 0;  ///< of the prompt
  int cachedTokens = 0; ///< of these, how many were still in the cache
  int outputTokens = 0; ///< of the reply
  int64_t ttftMs = 0;   ///< from the given moment to the first text, milliseconds
};

/// A language model that answers one prompt at a time and keeps the last one in its cache, so that
/// a prompt with the same beginning costs its new part only. One thread calls it; `stop` may be set
/// by another and ends a call within a few milliseconds.
class Generator {
public:
  Generator(const std::string &modelPath, int threads, const std::atomic<bool> &stop);
  ~Generator();
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  /// Answers; nothing when it was stopped.
  /// @param since the moment from which the time to the first text counts
  /// @param deliver takes whole characters, as they come
  /// @throws BadRequest, std::runtime_error when the engine fails.
  std::optional<Reply> reply(ChatPrompt &prompt, std::chrono::steady_clock::time_point since,
                             const std::function<void(std::string_view)> &deliver);

private:
  std::vector<llama_token> fittingTokens(ChatPrompt &prompt) const;
  size_t reuseCache(const std::vector<llama_token> &tokens);
  void closeGap(const std::vector<llama_token> &tokens, size_t common);
  bool decode(const llama_token *tokens, size_t count);

  llama_model *model_ = nullptr;
  llama_context *context_ = nullptr;
  const std::atomic<bool> &stop_;
  std::vector<llama_token> cached_; ///< what the cache of the context holds
};

} // namespace worker
