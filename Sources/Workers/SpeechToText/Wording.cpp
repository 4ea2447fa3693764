#include "SpeechToText/Wording.h"
#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace worker {

namespace {

/// Drops everything between a pair of marks, marks included. An unpaired mark stays.
std::string withoutNotes(const std::string &text, char opening, char closing) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t begin = text.find(opening, at);
    const size_t end = begin == std::string::npos ? begin : text.find(closing, begin + 1);
    if (end == std::string::npos)
      break;
    out.append(text, at, begin - at);
    at = end + 1;
  }
  out.append(text, at, std::string::npos);
  return out;
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// The word as compared: letters and digits in lower case.
std::string bare(const std::string &word) {
  std::string out;
  for (const unsigned char c : word) {
    if (std::isalnum(c) != 0 || c >= 0x80)
      out.push_back(static_cast<char>(std::tolower(c)));
  }
  return out;
}

/// How often the `length` words at `at` stand there in a row.
size_t repetitions(const std::vector<std::string> &words, size_t at, size_t length) {
  size_t count = 1;
  while (at + (count + 1) * length <= words.size() &&
         std::equal(words.begin() + static_cast<long>(at),
                    words.begin() + static_cast<long>(at + length),
                    words.begin() + static_cast<long>(at + count * length)))
    ++count;
  return count;
}

/// A decoder that is stuck says a phrase again and again. People repeat words, but rarely one four
/// times and hardly ever five words twice: such a run is kept once.
std::vector<std::string> withoutLoops(const std::vector<std::string> &words) {
  std::vector<std::string> kept = words;
  for (size_t length = 1; length <= kept.size() / 2; ++length) {
    const size_t suspicious = length >= 5 ? 2 : 4;
    std::vector<std::string> compared(kept.size());
    std::transform(kept.begin(), kept.end(), compared.begin(), bare);
    std::vector<std::string> next;
    for (size_t at = 0; at < kept.size();) {
      const size_t count = repetitions(compared, at, length);
      const size_t take = count >= suspicious ? length : 1;
      next.insert(next.end(), kept.begin() + static_cast<long>(at),
                  kept.begin() + static_cast<long>(at + take));
      at += count >= suspicious ? count * length : 1;
    }
    kept = std::move(next);
  }
  return kept;
}

} // namespace

std::string transcriptWording(const std::string &raw) {
  std::string text = withoutNotes(raw, '[', ']');
  text = withoutNotes(text, '(', ')');
  text = withoutNotes(text, '*', '*');
  std::string out;
  bool anyLetter = false;
  for (const auto &word : withoutLoops(wordsOf(text))) {
    if (word == ">>" || word == "-")
      continue; // change of speaker, as in subtitles
    anyLetter = anyLetter || !bare(word).empty();
    out += (out.empty() ? "" : " ") + word;
  }
  return anyLetter ? out : "";
}

} // namespace worker
