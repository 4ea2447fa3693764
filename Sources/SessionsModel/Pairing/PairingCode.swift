/// A code that a person reads from the router and types at the device: ten letters and digits.
///
/// Crockford's base 32, which leaves out I, L, O and U, so that none can be misread.
public struct PairingCode: Sendable, Hashable, CustomStringConvertible {
  /// Letters and digits of a code: 50 bits.
  public static let length = 10
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// Without the dash.
  public let letters: String

  /// - Parameter random: its lower 50 bits make the code.
  public init(random: UInt64) {
    letters = String(
      (0..<Self.length).map { Self.alphabet[Int((random >> UInt64(5 * $0)) & 31)] })
  }

  /// Reads what a person typed, in either case and with any dashes or spaces; nil when it is none.
  public init?(_ text: String) {
    let typed = text.uppercased().filter { $0 != "-" && !$0.isWhitespace }
    let read = String(
      typed.map { letter -> Character in
        switch letter {
        case "O": "0"
        case "I", "L": "1"
        default: letter
        }
      })
    guard read.count == Self.length, read.allSatisfy(Self.alphabet.contains) else { return nil }
    letters = read
  }

  public var description: String { "\(letters.prefix(5))-\(letters.suffix(5))" }
}
