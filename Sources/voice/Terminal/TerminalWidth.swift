import Glibc

/// How wide the terminal is, and how text fits into it.
enum TerminalWidth {
  /// What is taken when nothing can be learnt, and the least that is laid out for.
  static let usual = 80
  static let least = 40

  /// Columns of the terminal now; people resize it.
  static var current: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return usual
    }
    return max(least, Int(size.ws_col))
  }

  /// Breaks a text between words into lines of at most `width` characters. A word that is longer
  /// stands alone and is left to the terminal.
  static func lines(of text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: true) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// The text, or its beginning and an ellipsis where it has more than `width` characters.
  static func clip(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }
}
