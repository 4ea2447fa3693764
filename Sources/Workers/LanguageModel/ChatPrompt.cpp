#include "LanguageModel/ChatPrompt.h"
#include <algorithm>

namespace worker {

namespace {

/// Content must not be able to end its own message: control tokens begin with `<|`.
std::string harmless(std::string content) {
  for (size_t at = content.find("<|"); at != std::string::npos; at = content.find("<|", at + 3))
    content.insert(at + 1, " ");
  return content;
}

ChatMessage message(const nlohmann::json &item) {
  if (!item.is_object() || !item.contains("role") || !item["role"].is_string() ||
      !item.contains("content") || !item["content"].is_string())
    throw BadRequest("bad_request", "Each of messages needs a role and a content, both text.");
  const std::string role = item["role"];
  if (role != "system" && role != "user" && role != "assistant" && role != "tool")
    throw BadRequest("bad_request",
                     "A message's role is system, user, assistant or tool, not \"" + role + "\".");
  return {role, harmless(item["content"])};
}

template <typename Number>
Number number(const nlohmann::json &start, const char *field, Number otherwise, Number least,
              Number most) {
  const auto found = start.find(field);
  if (found == start.end() || found->is_null())
    return otherwise;
  if (!found->is_number() || found->get<double>() < static_cast<double>(least) ||
      found->get<double>() > static_cast<double>(most))
    throw BadRequest("bad_request", std::string(field) + " must be a number from " +
                                        std::to_string(least) + " to " + std::to_string(most) +
                                        ".");
  return found->get<Number>();
}

} // namespace

ChatPrompt::ChatPrompt(const nlohmann::json &start)
    : maximumTokens(number(start, "max_tokens", 96, 0, 2048)),
      temperature(number(start, "temperature", 0.0f, 0.0f, 2.0f)) {
  const auto list = start.find("messages");
  if (list == start.end() || !list->is_array() || list->empty())
    throw BadRequest("bad_request", "messages must be a list of at least one message.");
  for (const auto &item : *list)
    messages.push_back(message(item));
  if (const auto given = start.find("stop"); given != start.end() && given->is_array()) {
    for (const auto &item : *given) {
      if (!item.is_string())
        throw BadRequest("bad_request", "stop must be a list of texts.");
      stops.push_back(item);
    }
  }
  if (const auto given = start.find("grammar"); given != start.end() && given->is_string())
    grammar = given->get<std::string>();
}

std::vector<llama_token> ChatPrompt::tokens(const llama_model *model) const {
  std::vector<llama_chat_message> chat;
  size_t bytes = 256;
  for (const auto &item : messages) {
    chat.push_back({item.role.c_str(), item.content.c_str()});
    bytes += 2 * (item.role.size() + item.content.size()) + 64;
  }
  std::string text(bytes, 0);
  const int32_t length =
      llama_chat_apply_template(llama_model_chat_template(model, nullptr), chat.data(), chat.size(),
                                true, text.data(), static_cast<int32_t>(text.size()));
  if (length < 0 || length > static_cast<int32_t>(text.size()))
    throw BadRequest("bad_request", "The model file has no chat format this worker knows.");
  const auto *vocabulary = llama_model_get_vocab(model);
  std::vector<llama_token> out(static_cast<size_t>(length) + 16);
  const int32_t count = llama_tokenize(vocabulary, text.data(), length, out.data(),
                                       static_cast<int32_t>(out.size()), true, true);
  if (count < 0)
    throw BadRequest("bad_request", "The messages cannot be split into tokens.");
  out.resize(static_cast<size_t>(count));
  return out;
}

bool ChatPrompt::forgetOldest() {
  const auto firstSaid = std::find_if(messages.begin(), messages.end(),
                                      [](const ChatMessage &m) { return m.role != "system"; });
  const auto said = messages.end() - firstSaid;
  if (said < 2)
    return false;
  auto until = firstSaid + std::max<long>(1, said / 2);
  // The rest begins with the user where it can: an answer without its question misleads.
  while (until != messages.end() - 1 && until->role != "user")
    ++until;
  forgotten += static_cast<int>(until - firstSaid);
  messages.erase(firstSaid, until);
  return true;
}

} // namespace worker
