import Foundation

/// The two tones of a word: one of eight low ones and one of eight high ones, so that 64 words in a
/// row are told apart.
struct TonePair: Sendable, Hashable {
  static let low = (0..<8).map { 420.0 + 130 * Double($0) }
  static let high = (0..<8).map { 1_700.0 + 210 * Double($0) }

  /// 0 to 63.
  var number: Int

  init(number: Int) {
    self.number = number & 63
  }

  /// A word that ends with a number has its number's pair, any other one by its letters.
  init(of word: String) {
    let digits = word.filter { $0.isASCII && $0.isNumber }
    self.init(
      number: Int(digits.suffix(4))
        ?? word.unicodeScalars.reduce(7) { ($0 * 31 + Int($1.value)) & 0xFFFF })
  }

  /// Both tones together at 6,000, which is heard in a quiet room and by a detector.
  func sample(at index: Int, rate: Double) -> Int16 {
    let angle = Double(index) * 2 * .pi / rate
    return Int16(3_000 * (sin(angle * Self.low[number / 8]) + sin(angle * Self.high[number % 8])))
  }
}
