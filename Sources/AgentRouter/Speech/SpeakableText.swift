import Foundation

/// Turns what a model wrote into what a voice can say: Markdown, links and symbols leave no noise.
///
/// Keeps track of code fences across pieces, because code is not read aloud.
struct SpeakableText {
  private var isInCode = false

  /// The spoken form of the next piece; empty when nothing of it is to be heard.
  mutating func spoken(_ piece: String) -> String {
    var lines: [String] = []
    for line in piece.split(separator: "\n", omittingEmptySubsequences: true) {
      if line.drop(while: \.isWhitespace).hasPrefix("```") {
        isInCode.toggle()
        continue
      }
      if isInCode { continue }
      let spoken = Self.line(String(line))
      if !spoken.isEmpty { lines.append(spoken) }
    }
    return lines.joined(separator: " ")
  }

  private static func line(_ line: String) -> String {
    var text = line.trimmingCharacters(in: .whitespaces)
    if text.allSatisfy({ "-|=: *_".contains($0) }) { return "" }
    text = String(text.drop { "#>".contains($0) })
    text.replace(#/^\s*[-*•+]\s+/#, with: "")
    text.replace(#/!?\[([^\]]*)\]\([^)]*\)/#) { String($0.1) }
    text.replace(#/https?:\/\/(?:www\.)?([^\s\/?#]+)[^\s]*/#) { match in
      Self.host(String(match.1))
    }
    text.replace(#/<\/?[A-Za-z][^>]*>/#, with: "")
    text.replace(#/\*\*|__|`|~~/#, with: "")
    text.replace(#/\*(\S[^*]*)\*/#) { String($0.1) }
    text.replace(#/\s*\|\s*/#, with: ", ")
    if text.isLatin { text = SpokenForms.english(text) }
    text = String(String.UnicodeScalarView(text.unicodeScalars.filter(isSpeakable)))
    text.replace(#/\s+/#, with: " ")
    return text.trimmingCharacters(in: CharacterSet(charactersIn: " ,*"))
  }

  /// "example.com." is said as "example dot com".
  private static func host(_ host: String) -> String {
    let stop = host.last.map { ".,;:!?)".contains($0) } == true ? String(host.last!) : ""
    return host.dropLast(stop.count).split(separator: ".").joined(separator: " dot ") + stop
  }

  /// Pictures and drawing characters have no sound.
  private static func isSpeakable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .otherSymbol, .modifierSymbol, .privateUse, .unassigned, .format, .control: false
    default: !(0xFE00...0xFE0F).contains(scalar.value)
    }
  }
}

extension String {
  /// Written in Latin letters, as far as it has letters.
  fileprivate var isLatin: Bool {
    unicodeScalars.allSatisfy { !$0.properties.isAlphabetic || $0.value < 0x250 }
  }
}
