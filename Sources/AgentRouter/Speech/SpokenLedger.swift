/// What was said in one generation of speech, with its length: the way from "played for so long"
/// to "these words were heard".
struct SpokenLedger {
  private struct Piece {
    var text: String
    var samples: Int
    /// Where its spoken words end, in samples from its beginning; empty when the voice did not tell.
    var wordEnds: [Int] = []
  }

  /// Sample rate of the lengths, in Hz.
  private let rate: Int
  private var pieces: [Piece] = []

  init(rate: Int) {
    precondition(rate > 0, "a voice has a sample rate")
    self.rate = rate
  }

  /// Speech handed over so far, in milliseconds; rounded up, so that who has heard as much has
  /// heard the last word.
  var milliseconds: Int { (samples * 1000 + rate - 1) / rate }

  /// Begins the next piece, in the words that were written.
  mutating func begin(_ text: String) {
    pieces.append(Piece(text: text, samples: 0))
  }

  /// Adds speech to the piece that was begun last; another voice may have another rate.
  mutating func append(samples: Int, rate: Int? = nil) {
    precondition(!pieces.isEmpty, "speech belongs to a piece")
    pieces[pieces.count - 1].samples += samples * self.rate / (rate ?? self.rate)
  }

  /// The voice has told where the words of the piece that was begun last end, as far as it goes.
  mutating func setWordEnds(_ ends: [Int], rate: Int) {
    guard !ends.isEmpty, !pieces.isEmpty else { return }
    pieces[pieces.count - 1].wordEnds = ends.map { $0 * self.rate / rate }
  }

  /// The words that ended before `played` milliseconds: whole pieces, and of the piece that was
  /// cut the words that the voice says have ended, or, of a voice that does not tell, the words in
  /// proportion to their letters.
  func heard(playedMilliseconds played: Int) -> String {
    var left = played * rate / 1000
    var heard = ""
    for piece in pieces {
      // What is still being spoken is longer than what has been handed over of it.
      if left >= max(piece.samples, piece.wordEnds.last ?? 0) {
        heard += piece.text
        left -= piece.samples
        continue
      }
      guard piece.wordEnds.isEmpty else {
        heard += Self.words(
          of: piece.text, spoken: piece.wordEnds.count { $0 <= left }, from: piece.wordEnds.count)
        break
      }
      heard += Self.words(of: piece.text, share: Double(left) / Double(piece.samples))
      break
    }
    return heard.trimmingSuffix(while: \.isWhitespace)
  }

  private var samples: Int { pieces.reduce(0) { $0 + $1.samples } }

  /// The first written words, of which `spoken` of `all` were said: as many, unless the voice says
  /// other words than were written ("5 km").
  private static func words(of text: String, spoken: Int, from all: Int) -> String {
    let words = text.split(whereSeparator: \.isWhitespace)
    let count = words.count == all ? spoken : spoken * words.count / max(all, 1)
    guard count > 0 else { return "" }
    return String(text[..<words[min(count, words.count) - 1].endIndex])
  }

  private static func words(of text: String, share: Double) -> String {
    let letters = Double(text.count(where: { !$0.isWhitespace }))
    guard letters > 0 else { return "" }
    var counted = 0.0
    var end = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      if !text[index].isWhitespace { counted += 1 }
      let next = text.index(after: index)
      let endsWord = next == text.endIndex || text[next].isWhitespace
      if endsWord, !text[index].isWhitespace {
        guard counted / letters <= share else { break }
        end = next
      }
      index = next
    }
    return String(text[..<end])
  }
}

extension String {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
    var end = endIndex
    while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
    return String(self[..<end])
  }
}
