/// The small words with which a listener says no more than "go on".
///
/// Only said over a speaking agent are they that; as an answer "yeah" is a turn like any other. "Yes"
/// and "no" are left out: they may well be meant.
enum Backchannel {
  private static let words: Set<String> = [
    "aha", "ah", "hm", "hmm", "huh", "mhm", "mm", "mmhm", "mmm", "mm hm", "mm hmm", "oh", "okay",
    "ok", "right", "sure", "uh huh", "uhhuh", "yeah", "yep", "i see", "got it",
  ]

  /// Whether `text`, as a recogniser writes it, is nothing but such words.
  static func isOne(_ text: String) -> Bool {
    let spoken = text.lowercased().split { !$0.isLetter }.map(String.init)
    guard !spoken.isEmpty, spoken.count <= 4 else { return false }
    return isMadeOf(spoken[...])
  }

  private static func isMadeOf(_ spoken: ArraySlice<String>) -> Bool {
    if spoken.isEmpty { return true }
    return (1...min(2, spoken.count)).contains { count in
      words.contains(spoken.prefix(count).joined(separator: " "))
        && isMadeOf(spoken.dropFirst(count))
    }
  }
}
