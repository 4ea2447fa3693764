#include "LanguageModel/ReplyText.h"
#include <algorithm>
#include <cctype>

namespace worker {

namespace {

/// Bytes at the end that are the beginning of a character whose rest has not come.
size_t unfinishedBytes(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(4, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80)
      continue;
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/// Length of the longest end of `text` that is a proper beginning of `stop`.
size_t overlap(std::string_view text, std::string_view stop) {
  for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.substr(text.size() - length) == stop.substr(0, length))
      return length;
  }
  return 0;
}

} // namespace

ReplyText::ReplyText(std::vector<std::string> stops) : stops_(std::move(stops)) {
  stops_.erase(std::remove(stops_.begin(), stops_.end(), std::string()), stops_.end());
}

std::string ReplyText::append(std::string_view bytes) {
  if (stopped_)
    return "";
  held_.append(bytes);
  size_t first = std::string::npos;
  for (const auto &stop : stops_)
    first = std::min(first, held_.find(stop));
  if (first != std::string::npos) {
    stopped_ = true;
    held_.resize(first);
    return take(held_.size());
  }
  return take(deliverable());
}

std::string ReplyText::finish() {
  // A character that never became whole is not delivered.
  return stopped_ ? "" : take(held_.size() - unfinishedBytes(held_));
}

size_t ReplyText::deliverable() const {
  size_t keep = unfinishedBytes(held_);
  for (const auto &stop : stops_)
    keep = std::max(keep, overlap(held_, stop));
  return held_.size() - keep;
}

std::string ReplyText::take(size_t bytes) {
  std::string out = held_.substr(0, bytes);
  held_.erase(0, bytes);
  if (!begun_) {
    const auto isSpace = [](unsigned char c) { return std::isspace(c) != 0; };
    out.erase(out.begin(), std::find_if_not(out.begin(), out.end(), isSpace));
    begun_ = !out.empty();
  }
  return out;
}

bool endsInLoop(const std::vector<int32_t> &tokens) {
  for (size_t length = 1; length <= 48; ++length) {
    const size_t times = length <= 3 ? 8 : 3;
    if (tokens.size() < length * times)
      continue;
    const auto last = tokens.end() - static_cast<long>(length);
    bool loop = true;
    for (size_t back = 2; back <= times && loop; ++back)
      loop = std::equal(last, tokens.end(), tokens.end() - static_cast<long>(length * back));
    if (loop)
      return true;
  }
  return false;
}

} // namespace worker
