/// Whether words sound finished, as far as the words alone tell.
enum SentenceEnd: Equatable {
  /// Something must follow: "I would like to", "my name is, um".
  case open
  /// Digits or letters are being dictated; more may come after each group.
  case dictation
  /// A question mark: the recogniser heard the voice or the order of words ask.
  case question
  /// Something may well follow: a first clause ("When I was in Italy"), a number, words that the
  /// recogniser itself has not closed with a stop.
  case trailing
  case other

  /// - Parameter isPunctuated: whether the recogniser that wrote `text` is known to close a sentence
  ///   with a stop; one that never does tells nothing by leaving it out.
  init(_ text: String, isPunctuated: Bool = false) {
    let words = text.lowercased().split { $0.isWhitespace || $0 == "-" || $0 == "–" }
    guard let last = words.last else {
      self = .other
      return
    }
    let word = String(last.filter { $0.isLetter || $0.isNumber || $0 == "'" })
    let isCutOff = ["…", "...", "-", ","].contains { text.hasSuffix($0) }
    if isCutOff || Self.expecting.contains(word) {
      self = .open
    } else if text.hasSuffix("?") || text.hasSuffix("？") {
      self = .question
    } else if Self.expectingInStatements.contains(word) {
      self = .open
    } else {
      self =
        Self.isDictated(words)
        ? .dictation : Self.trails(words, text, isPunctuated) ? .trailing : .other
    }
  }

  /// Whether the recogniser closed the sentence: it hears the voice fall.
  static func isClosed(_ text: String) -> Bool {
    text.last.map { ".?!。？！｡।؟۔".contains($0) } ?? false
  }

  private static func trails(_ words: [Substring], _ text: String, _ isPunctuated: Bool) -> Bool {
    if isPunctuated, !isClosed(text) { return true }
    if let first = words.first, beginningClauses.contains(String(first)), words.count > 2,
      !text.contains(",")
    {
      return true
    }
    // "The address is 25", "The code is 7/7"; a time of the day is whole.
    guard let last = words.last, !last.contains(":") else { return false }
    return last.contains { $0.isASCII && $0.isNumber }
  }

  /// At least two groups of digits or single letters at the end, or nothing but digits.
  private static func isDictated(_ words: [Substring]) -> Bool {
    let groups = words.reversed().prefix { word in
      let core = word.filter { $0.isLetter || $0.isNumber }
      guard !core.isEmpty else { return false }
      return core.allSatisfy(\.isNumber) || Self.digits.contains(String(core))
        || core.count == 1 && core != "a" && core != "i"
    }
    let digits = groups.reduce(0) { $0 + $1.count { $0.isNumber } }
    return groups.count >= 2 || digits >= 5 || groups.count == words.count && digits >= 2
  }

  private static let digits: Set<String> = [
    "zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "double",
    "triple",
  ]

  /// Hesitation, conjunctions, articles, possessives: nothing English ends with them.
  private static let expecting: Set<String> = [
    "um", "uh", "uhm", "er", "erm", "and", "or", "but", "the", "a", "an", "my", "your", "our",
    "their", "its", "i'm", "i'd", "i'll", "let's", "although", "because", "of", "into", "between",
    "than", "if", "very",
  ]

  /// What begins a clause that another one follows, unless a comma has already parted the two.
  private static let beginningClauses: Set<String> = [
    "when", "whenever", "if", "because", "although", "though", "while", "since", "unless", "once",
  ]

  /// Prepositions that want their noun and verbs that want their rest, except in a question:
  /// "Where are you from?"
  private static let expectingInStatements: Set<String> = [
    "to", "from", "with", "for", "at", "by", "is", "are", "was", "were", "called",
  ]
}
