/// Cuts an answer that streams in into pieces to be spoken: the first clause as early as it makes
/// sense, then sentence by sentence.
///
/// The pieces put together are the answer, character by character.
struct SentenceChunker {
  /// Letters a first clause must have to be spoken on its own: shorter ones sound cut off. A sign
  /// that is a syllable or a word counts as three of them.
  static let shortestClause = 10
  /// A piece longer than this is cut at a clause, at a space, or, where there are none, anywhere.
  static let longestPiece = 220

  private var pending = ""
  private var hasSpoken = false

  /// Takes what came next and returns the pieces it completes.
  mutating func take(_ text: String) -> [String] {
    pending += text
    var pieces: [String] = []
    while let end = nextCut() {
      let piece = String(pending[..<end])
      pending.removeSubrange(..<end)
      pieces.append(piece)
      if !piece.allSatisfy(\.isWhitespace) { hasSpoken = true }
    }
    return pieces
  }

  /// What waits, if it looks like a first sentence that is whole: only what follows can tell, and
  /// most often nothing does.
  var likelyFirstPiece: String? {
    guard !hasSpoken, pending.count >= Self.shortestClause,
      let stop = pending.lastIndex(where: { !"\"'”’)".contains($0) }),
      ".!?".contains(pending[stop]),
      !isAbbreviation(endingAt: stop)
    else { return nil }
    // "It is 3." may be about to become "It is 3.14".
    let before = pending[..<stop].last
    return before?.isLetter == true ? pending : nil
  }

  /// Whether words wait for the end of their clause.
  var hasWords: Bool { pending.contains { $0.isLetter || $0.isNumber } }

  /// The rest, at the end of the answer or when the model stalls.
  mutating func flush() -> String? {
    guard !pending.isEmpty else { return nil }
    defer { pending = "" }
    hasSpoken = true
    return pending
  }

  /// Where the first complete piece ends; nil when more has to come.
  private func nextCut() -> String.Index? {
    var lastClause: String.Index?
    var lastSpace: String.Index?
    var length = 0
    var index = pending.startIndex
    while index < pending.endIndex {
      let next = pending.index(after: index)
      length += pending[index].isIdeograph ? 3 : 1
      switch boundary(at: index) {
      case .sentence(let end): return end
      case .undecided: return nil
      case .clause:
        if !hasSpoken, length >= Self.shortestClause { return spaceEnd(from: next) }
        lastClause = spaceEnd(from: next)
      case .none:
        if pending[index].isWhitespace { lastSpace = next }
      }
      if length >= Self.longestPiece {
        if let cut = lastClause ?? lastSpace { return cut }
        if pending[index].isIdeograph { return next }
      }
      index = next
    }
    return nil
  }

  private enum Boundary {
    case none
    case clause
    case sentence(end: String.Index)
    /// What follows decides, and has not come.
    case undecided
  }

  private func boundary(at index: String.Index) -> Boundary {
    let character = pending[index]
    let next = pending.index(after: index)
    if character.isNewline { return .sentence(end: spaceEnd(from: next)) }
    if "。！？｡।॥؟۔።".contains(character) {
      return .sentence(end: spaceEnd(from: closingEnd(from: next)))
    }
    if "、，；：،؛".contains(character) { return .clause }
    if ",;:—–".contains(character) {
      guard next < pending.endIndex else { return .undecided }
      return pending[next].isWhitespace || "—–".contains(character) ? .clause : .none
    }
    guard ".!?…".contains(character) else { return .none }
    let end = closingEnd(from: next)
    guard end < pending.endIndex else { return .undecided }
    guard pending[end].isWhitespace, !isAbbreviation(endingAt: index) else { return .none }
    return .sentence(end: spaceEnd(from: end))
  }

  /// Behind further stops and closing quotes and brackets.
  private func closingEnd(from start: String.Index) -> String.Index {
    pending[start...].firstIndex { !".!?…\"'”’)]*_」』）！？".contains($0) } ?? pending.endIndex
  }

  private func spaceEnd(from start: String.Index) -> String.Index {
    pending[start...].firstIndex { !$0.isWhitespace } ?? pending.endIndex
  }

  /// Whether the full stop at `index` belongs to the word before it.
  private func isAbbreviation(endingAt index: String.Index) -> Bool {
    guard pending[index] == "." else { return false }
    let word = pending[..<index].reversed().prefix { !$0.isWhitespace && !"(\"'“".contains($0) }
    let text = String(word.reversed()).lowercased()
    if text.isEmpty { return false }
    // Initials ("J.", "U.S.", "e.g.") and the number of a list item at its beginning.
    if text.split(separator: ".").allSatisfy({ $0.count == 1 && $0.allSatisfy(\.isLetter) }) {
      return text != "i"
    }
    if text.allSatisfy(\.isNumber) { return isAtLineStart(index, wordLength: text.count) }
    return Self.abbreviations.contains(text)
  }

  private func isAtLineStart(_ index: String.Index, wordLength: Int) -> Bool {
    let start = pending.index(index, offsetBy: -wordLength)
    guard start > pending.startIndex else { return wordLength <= 2 }
    return pending[pending.index(before: start)].isNewline
  }

  private static let abbreviations: Set<String> = [
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "sr", "jr", "vs", "etc", "no", "vol", "fig",
    "approx", "inc", "ltd", "co", "dept", "est", "gen", "gov", "rev", "hon", "jan", "feb", "mar",
    "apr", "aug", "sept", "sep", "oct", "nov", "dec",
  ]
}

extension Character {
  /// Chinese, Japanese or Korean: written without spaces, or in syllables.
  fileprivate var isIdeograph: Bool {
    unicodeScalars.first.map {
      (0x3040...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
        || (0xAC00...0xD7A3).contains($0.value) || (0x20000...0x3FFFF).contains($0.value)
    } ?? false
  }
}
