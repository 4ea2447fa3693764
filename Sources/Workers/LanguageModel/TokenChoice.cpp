#include "LanguageModel/TokenChoice.h"
#include <cmath>

namespace worker {

namespace {

llama_sampler *choiceFor(float temperature) {
  auto *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
  if (temperature <= 0) {
    llama_sampler_chain_add(chain, llama_sampler_init_greedy());
    return chain;
  }
  llama_sampler_chain_add(chain, llama_sampler_init_top_k(40));
  llama_sampler_chain_add(chain, llama_sampler_init_top_p(0.95f, 1));
  llama_sampler_chain_add(chain, llama_sampler_init_temp(temperature));
  llama_sampler_chain_add(chain, llama_sampler_init_dist(LLAMA_DEFAULT_SEED));
  return chain;
}

} // namespace

TokenChoice::TokenChoice(const llama_model *model, const ChatPrompt &prompt)
    : vocabulary_(llama_model_get_vocab(model)),
      choice_(choiceFor(prompt.temperature), llama_sampler_free),
      grammar_(nullptr, llama_sampler_free),
      candidates_(static_cast<size_t>(llama_vocab_n_tokens(vocabulary_))) {
  if (!prompt.grammar)
    return;
  grammar_.reset(llama_sampler_init_grammar(vocabulary_, prompt.grammar->c_str(), "root"));
  if (!grammar_)
    throw BadRequest("bad_grammar", "The grammar is no valid GBNF with a rule named root.");
}

llama_token TokenChoice::next(llama_context *context) {
  const float *logits = llama_get_logits_ith(context, -1);
  // Matching the whole vocabulary with a grammar is slow; the free choice mostly fits already.
  llama_token token = chosen(logits, false);
  if (grammar_ && !allowed(token))
    token = chosen(logits, true);
  llama_sampler_accept(choice_.get(), token);
  if (grammar_)
    llama_sampler_accept(grammar_.get(), token);
  return token;
}

llama_token TokenChoice::chosen(const float *logits, bool withinGrammar) {
  for (size_t i = 0; i < candidates_.size(); ++i)
    candidates_[i] = {static_cast<llama_token>(i), logits[i], 0};
  llama_token_data_array array = {candidates_.data(), candidates_.size(), -1, false};
  if (withinGrammar)
    llama_sampler_apply(grammar_.get(), &array);
  llama_sampler_apply(choice_.get(), &array);
  return array.data[array.selected].id;
}

bool TokenChoice::allowed(llama_token token) const {
  llama_token_data one = {token, 1, 0};
  llama_token_data_array array = {&one, 1, -1, false};
  llama_sampler_apply(grammar_.get(), &array);
  return std::isfinite(one.logit);
}

} // namespace worker
