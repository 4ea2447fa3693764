import Foundation
import SessionsModel

/// The words of a search, and how well a session matches them.
///
/// Every word has to stand in the title, the description, the project or the agent's name (R122):
/// case and accents aside, a whole word, or the beginning of one where the search says `word*`.
/// A word of the title counts more than one of the names, and that more than one of the description;
/// a title with the words side by side counts most.
struct SearchWords: Sendable, Hashable {
  struct Word: Sendable, Hashable {
    var text: String
    /// Written as `text*`.
    var isBeginning: Bool

    func matches(_ token: Substring) -> Bool {
      isBeginning ? token.hasPrefix(text) : token == text
    }
  }

  let words: [Word]

  init(_ query: String) {
    words = query.split(whereSeparator: \.isWhitespace).flatMap { part in
      let tokens = Self.tokens(of: String(part))
      let isBeginning = part.hasSuffix("*")
      return tokens.enumerated().map { index, token in
        Word(text: token, isBeginning: isBeginning && index == tokens.count - 1)
      }
    }
  }

  /// What is searched, as words side by side, in three parts that count differently.
  struct Text: Sendable, Hashable {
    var title: String
    /// The project and the agent.
    var names: String
    var description: String
  }

  /// How well `text` matches; nil when a word is missing. Larger is better.
  func score(_ text: Text) -> Int? {
    guard !words.isEmpty else { return nil }
    let title = text.title.split(separator: " ")
    let names = text.names.split(separator: " ")
    let description = text.description.split(separator: " ")
    var sum = 0
    for word in words {
      if title.contains(where: word.matches) {
        sum += 16
      } else if names.contains(where: word.matches) {
        sum += 8
      } else if description.contains(where: word.matches) {
        sum += 4
      } else {
        return nil
      }
    }
    if title.count >= words.count,
      (0...(title.count - words.count)).contains(where: { start in
        zip(title[start...], words).allSatisfy { $1.matches($0) }
      })
    {
      sum += title.count == words.count ? 64 : 16
    }
    return sum
  }

  /// Letters and digits, without case and accents.
  static func tokens(of text: String) -> [String] {
    let folded = text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    return folded.unicodeScalars
      .split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
      .map { String($0).lowercased() }
  }
}

extension SessionRecord {
  /// What a search looks into.
  var searchText: SearchWords.Text {
    func words(_ parts: String?...) -> String {
      parts.compactMap { $0 }.flatMap(SearchWords.tokens(of:)).joined(separator: " ")
    }
    return SearchWords.Text(
      title: words(labels.title), names: words(labels.projectID, agent),
      description: words(labels.description))
  }
}
