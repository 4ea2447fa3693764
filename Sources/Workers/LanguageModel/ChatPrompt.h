#pragma once
#include "llama.h"
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace worker {

/// A `start` message that cannot be answered as it is.
struct BadRequest : std::runtime_error {
  BadRequest(std::string code, const std::string &message)
      : std::runtime_error(message), code(std::move(code)) {}
  std::string code;
};

struct ChatMessage {
  std::string role;
  std::string content;
};

/// What a `start` message of the language model asks for.
struct ChatPrompt {
  std::vector<ChatMessage> messages;
  int maximumTokens = 96; ///< 0: only read the prompt, so that the next one finds it in the cache
  float temperature = 0;  ///< 0: always the likeliest token
  std::vector<std::string> stops;
  std::optional<std::string> grammar; ///< GBNF with the root rule `root`

  /// @throws BadRequest naming the field.
  explicit ChatPrompt(const nlohmann::json &start);

  /// The prompt in the model's own chat format, up to where the assistant speaks.
  /// @throws BadRequest when the model's format is unknown.
  std::vector<llama_token> tokens(const llama_model *model) const;

  /// Forgets the older half of what was said, but neither the instructions nor the last message.
  /// False when there is nothing left to forget. Half at once, so that the next turns find their
  /// beginning in the cache again.
  bool forgetOldest();

  int forgotten = 0; ///< messages left out
};

} // namespace worker
