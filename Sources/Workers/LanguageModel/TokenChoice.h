#pragma once
#include "LanguageModel/ChatPrompt.h"
#include <memory>

namespace worker {

/// Chooses the next token: the likeliest, or by chance at a temperature, and within a grammar when
/// one is given.
class TokenChoice {
public:
  /// @throws BadRequest `bad_grammar`.
  TokenChoice(const llama_model *model, const ChatPrompt &prompt);

  llama_token next(llama_context *context);

private:
  using Sampler = std::unique_ptr<llama_sampler, decltype(&llama_sampler_free)>;

  llama_token chosen(const float *logits, bool withinGrammar);
  bool allowed(llama_token token) const;

  const llama_vocab *vocabulary_;
  Sampler choice_;
  Sampler grammar_;
  std::vector<llama_token_data> candidates_;
};

} // namespace worker
