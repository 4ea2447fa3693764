#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace worker {

/// Turns the bytes a model emits into text that may be shown: whole UTF-8 characters only, nothing
/// of a stop string, no leading white space.
class ReplyText {
public:
  explicit ReplyText(std::vector<std::string> stops);

  /// Takes the bytes of one token; returns what may be delivered now.
  std::string append(std::string_view bytes);
  /// The model is done: what was held back in case it became a stop string.
  std::string finish();
  /// A stop string came; nothing more will be delivered.
  bool stopped() const {
    return stopped_;
  }

private:
  size_t deliverable() const;
  std::string take(size_t bytes);

  std::vector<std::string> stops_;
  std::string held_;
  bool begun_ = false;
  bool stopped_ = false;
};

/// A small model without randomness gets stuck: true when the last tokens are a phrase said over
/// and over (three times; a run of one to three tokens, eight times).
bool endsInLoop(const std::vector<int32_t> &tokens);

} // namespace worker
