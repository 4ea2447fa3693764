import Foundation

/// Why a token was refused.
public enum TokenError: Error, Sendable, Hashable, CustomStringConvertible {
  case tooLarge(bytes: Int)
  /// Not three parts of base 64, or parts that are not what they should be.
  case malformed(String)
  /// Signed by another algorithm than HS256, or not at all.
  case unsupportedAlgorithm(String)
  case badSignature
  /// Seconds since 1970.
  case expired(at: Int)
  /// Seconds since 1970.
  case notYetValid(until: Int)

  public var description: String {
    switch self {
    case .tooLarge(let bytes):
      "the token has \(bytes) bytes; at most \(Token.byteLimit) are accepted"
    case .malformed(let detail): "the token is malformed: \(detail)"
    case .unsupportedAlgorithm(let name):
      "the token's algorithm is \(name); only HS256 is accepted"
    case .badSignature: "the token was not signed with this app's secret"
    case .expired(let time): "the token expired at \(Self.text(time)); ask for a new one"
    case .notYetValid(let time):
      "the token is valid only from \(Self.text(time)) on; check the clocks"
    }
  }

  /// A claim may hold any number; one that is no date of a clock stays a number.
  private static func text(_ seconds: Int) -> String {
    guard (0..<253_402_300_800).contains(seconds) else { return "\(seconds) s since 1970" }
    return RFC3339.string(from: Date(timeIntervalSince1970: Double(seconds)))
  }
}
