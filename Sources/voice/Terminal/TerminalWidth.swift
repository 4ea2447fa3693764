import Glibc

/// How wide the terminal is, and how text fits into it.
enum TerminalWidth {
  /// What is taken when nothing can be learnt, and the least that is laid out for.
  static let usual = 80
  static let least = 40

  /// Columns to lay text out for now; people resize the terminal.
  static var current: Int { max(least, actual) }

  /// Columns of the terminal standard output is; nil when it is none.
  static var ofTerminal: Int? { isatty(STDOUT_FILENO) == 1 ? current : nil }

  /// Columns the terminal has now, however few.
  static var actual: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return usual
    }
    return Int(size.ws_col)
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

  /// Columns that a text takes on a terminal.
  static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The beginning of a text that fits.
  static func fitting(_ text: String, columns: Int) -> String {
    var room = columns
    return String(
      text.prefix { character in
        room -= Self.columns(of: character)
        return room >= 0
      })
  }

  /// The end of a text that fits, on one line.
  static func ending(_ text: String, columns: Int) -> String {
    var room = columns
    let onOneLine = text.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    let end = onOneLine.reversed().prefix { character in
      room -= Self.columns(of: character)
      return room >= 0
    }
    return String(end.reversed().filter { !isControl($0) })
  }

  /// A letter takes one column, one of the wide scripts or a pictogram two.
  private static func columns(of character: Character) -> Int {
    guard !isControl(character), let first = character.unicodeScalars.first else { return 0 }
    let isPictogram = character.unicodeScalars.contains {
      $0.properties.isEmojiPresentation || $0 == "\u{FE0F}"
    }
    return isPictogram || wide.contains(where: { $0.contains(first.value) }) ? 2 : 1
  }

  /// What a terminal would obey instead of showing it.
  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// East Asian wide and full-width blocks (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
    0x20000...0x3FFFD,
  ]
}
