import Foundation
import Glibc
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
    fileprivate let bytes: [UInt8]

    init(_ text: String, isBeginning: Bool) {
      self.text = text
      self.isBeginning = isBeginning
      bytes = Array(text.utf8)
    }
  }

  let words: [Word]
  /// The words side by side; nil where one but the last is only a beginning.
  private let phrase: Word?

  init(_ query: String) {
    words = query.split(whereSeparator: \.isWhitespace).flatMap { part in
      let tokens = Self.tokens(of: String(part))
      let isBeginning = part.hasSuffix("*")
      return tokens.enumerated().map { index, token in
        Word(token, isBeginning: isBeginning && index == tokens.count - 1)
      }
    }
    phrase =
      words.dropLast().contains(where: \.isBeginning)
      ? nil
      : Word(
        words.map(\.text).joined(separator: " "), isBeginning: words.last?.isBeginning ?? false)
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
    var (title, names, description) = (text.title, text.names, text.description)
    return title.withUTF8 { title in
      names.withUTF8 { names in
        description.withUTF8 { score(title: title, names: names, description: $0) }
      }
    }
  }

  /// The same on the bytes of a row: a search looks at thousands.
  func score(
    title: UnsafeBufferPointer<UInt8>, names: UnsafeBufferPointer<UInt8>,
    description: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard !words.isEmpty else { return nil }
    var sum = 0
    for word in words {
      if Self.isFound(word, in: title) {
        sum += 16
      } else if Self.isFound(word, in: names) {
        sum += 8
      } else if Self.isFound(word, in: description) {
        sum += 4
      } else {
        return nil
      }
    }
    if let phrase, Self.isFound(phrase, in: title) {
      sum += phrase.bytes.count == title.count ? 64 : 16
    }
    return sum
  }

  /// Whether a word stands in a text whose words have one space between them.
  private static func isFound(_ word: Word, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress, !word.bytes.isEmpty else { return false }
    let count = word.bytes.count
    let space = UInt8(ascii: " ")
    var start = 0
    while start + count <= text.count {
      let end = start + count
      let isSame = word.bytes.withUnsafeBytes { wanted in
        wanted.baseAddress.map { memcmp(base + start, $0, count) == 0 } ?? false
      }
      if isSame, word.isBeginning || end == text.count || text[end] == space { return true }
      // On to the next word.
      guard let gap = memchr(base + start, Int32(space), text.count - start) else { return false }
      start = UnsafeRawPointer(gap) - UnsafeRawPointer(base) + 1
    }
    return false
  }

  /// Letters and digits, without case and accents.
  static func tokens(of text: String) -> [String] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return plainTokens(of: text) }
    let folded = text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    return folded.unicodeScalars
      .split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
      .map { String($0).lowercased() }
  }
}

extension SearchWords {
  /// The same for ASCII, which most texts are, without the tables of Unicode.
  private static func plainTokens(of text: String) -> [String] {
    text.utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        false
      default: true
      }
    }.map { word in
      String(
        decoding: word.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
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
