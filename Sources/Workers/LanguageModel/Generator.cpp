#include "LanguageModel/Generator.h"
#include "LanguageModel/ReplyText.h"
#include "LanguageModel/TokenChoice.h"
#include "LanguageModel/WiderModel.h"
#include "Protocol/Launch.h"
#include <algorithm>
#include <cstdio>

namespace worker {

namespace {

constexpr uint32_t contextTokens = 4096;
constexpr uint32_t batchTokens = 512;
/// Small, because an abort is seen between graphs of this size at the latest: 2 ms instead of 14,
/// for 1 to 4 % of the speed.
constexpr uint32_t microbatchTokens = 64;

/// Tokens in a row that are worth moving within the cache; a chance match is shorter.
constexpr size_t worthMoving = 32;

size_t commonPrefix(const std::vector<llama_token> &left, size_t leftAt,
                    const std::vector<llama_token> &right, size_t rightAt) {
  const auto leftBegin = left.begin() + static_cast<long>(leftAt);
  const auto rightBegin = right.begin() + static_cast<long>(rightAt);
  return static_cast<size_t>(std::mismatch(leftBegin, left.end(), rightBegin, right.end()).first -
                             leftBegin);
}

bool isStopped(void *flag) {
  return static_cast<const std::atomic<bool> *>(flag)->load();
}

void logErrors(ggml_log_level level, const char *text, void *) {
  if (level == GGML_LOG_LEVEL_ERROR)
    std::fputs(text, stderr);
}

std::string piece(const llama_vocab *vocabulary, llama_token token) {
  std::string out(64, 0);
  int32_t length = llama_token_to_piece(vocabulary, token, out.data(),
                                        static_cast<int32_t>(out.size()), 0, false);
  if (length < 0) {
    out.resize(static_cast<size_t>(-length));
    length = llama_token_to_piece(vocabulary, token, out.data(), -length, 0, false);
  }
  out.resize(static_cast<size_t>(std::max(length, 0)));
  return out;
}

} // namespace

Generator::Generator(const std::string &modelPath, int threads, const std::atomic<bool> &stop)
    : stop_(stop) {
  llama_log_set(logErrors, nullptr);
  llama_backend_init();
  model_ = loadWider(modelPath, threads);
  llama_context_params parameters = llama_context_default_params();
  parameters.n_ctx = contextTokens;
  parameters.n_batch = batchTokens;
  parameters.n_ubatch = microbatchTokens;
  parameters.n_threads = threads;
  parameters.n_threads_batch = threads;
  if (model_ != nullptr)
    context_ = llama_init_from_model(model_, parameters);
  if (context_ == nullptr)
    throw StartFailure("model_corrupt", "The engine cannot read the model file " + modelPath +
                                            "; delete it and run `make setup`.");
  llama_set_abort_callback(context_, isStopped, const_cast<std::atomic<bool> *>(&stop_));
}

Generator::~Generator() {
  llama_free(context_);
  llama_model_free(model_);
}

std::optional<Reply> Generator::reply(ChatPrompt &prompt,
                                      std::chrono::steady_clock::time_point since,
                                      const std::function<void(std::string_view)> &deliver) {
  const auto tokens = fittingTokens(prompt);
  TokenChoice choice(model_, prompt);
  ReplyText text(prompt.stops);
  Reply reply;
  reply.inputTokens = static_cast<int>(tokens.size());
  const size_t kept = reuseCache(tokens);
  reply.cachedTokens = static_cast<int>(kept);
  if (!decode(tokens.data() + kept, tokens.size() - kept))
    return std::nullopt;

  const auto *vocabulary = llama_model_get_vocab(model_);
  std::vector<llama_token> said;
  const auto give = [&](const std::string &words) {
    if (!words.empty() && reply.ttftMs == 0)
      reply.ttftMs = std::max<int64_t>(1, millisecondsSince(since));
    deliver(words);
  };
  while (!text.stopped() && !endsInLoop(said)) {
    const llama_token token = choice.next(context_);
    if (llama_vocab_is_eog(vocabulary, token))
      break;
    reply.cut = static_cast<int>(said.size()) == prompt.maximumTokens;
    if (reply.cut)
      break;
    said.push_back(token);
    give(text.append(piece(vocabulary, token)));
    if (stop_ || !decode(&token, 1))
      return std::nullopt;
  }
  give(text.finish());
  reply.outputTokens = static_cast<int>(said.size());
  return reply;
}

/// The prompt's tokens, older messages left out until there is room for the reply as well.
std::vector<llama_token> Generator::fittingTokens(ChatPrompt &prompt) const {
  for (;;) {
    auto tokens = prompt.tokens(model_);
    if (tokens.size() + static_cast<size_t>(prompt.maximumTokens) <= contextTokens)
      return tokens;
    if (!prompt.forgetOldest())
      throw BadRequest("prompt_too_long", "Instructions and last message have " +
                                              std::to_string(tokens.size()) +
                                              " tokens; with max_tokens together at most " +
                                              std::to_string(contextTokens) + " fit.");
  }
}

/// Makes the cache a beginning of the prompt; returns how many tokens that is. At least one token
/// is left to decode, because the choice needs its result.
size_t Generator::reuseCache(const std::vector<llama_token> &tokens) {
  closeGap(tokens, commonPrefix(cached_, 0, tokens, 0));
  const size_t common = std::min(commonPrefix(cached_, 0, tokens, 0), tokens.size() - 1);
  llama_memory_seq_rm(llama_get_memory(context_), 0, static_cast<llama_pos>(common), -1);
  cached_.resize(common);
  return common;
}

/// When messages were left out of the middle, what followed them is still in the cache, further
/// back. It is moved up instead of being computed again, which would take seconds.
void Generator::closeGap(const std::vector<llama_token> &tokens, size_t common) {
  size_t gap = 0;
  size_t longest = worthMoving;
  for (size_t skip = 1; common + skip < cached_.size(); ++skip) {
    const size_t run = commonPrefix(cached_, common + skip, tokens, common);
    if (run > longest) {
      longest = run;
      gap = skip;
    }
  }
  auto *memory = llama_get_memory(context_);
  if (gap == 0 || !llama_memory_can_shift(memory))
    return;
  const auto begin = static_cast<llama_pos>(common);
  const auto end = static_cast<llama_pos>(common + gap);
  llama_memory_seq_rm(memory, 0, begin, end);
  llama_memory_seq_add(memory, 0, end, -1, begin - end);
  cached_.erase(cached_.begin() + begin, cached_.begin() + end);
}

/// Decodes tokens behind what is cached; false when stopped. What a stopped call left behind is
/// removed, so that the cache is what `cached_` says.
bool Generator::decode(const llama_token *tokens, size_t count) {
  for (size_t at = 0; at < count;) {
    const size_t now = std::min<size_t>(count - at, batchTokens);
    // The interface wants a mutable pointer and does not write through it.
    auto *begin = const_cast<llama_token *>(tokens + at);
    const int32_t code =
        llama_decode(context_, llama_batch_get_one(begin, static_cast<int32_t>(now)));
    if (code != 0) {
      llama_memory_seq_rm(llama_get_memory(context_), 0, static_cast<llama_pos>(cached_.size()),
                          -1);
      if (stop_)
        return false;
      throw std::runtime_error("The language model failed with code " + std::to_string(code) + ".");
    }
    cached_.insert(cached_.end(), begin, begin + now);
    at += now;
  }
  return true;
}

} // namespace worker
