public import Foundation

/// A time-ordered identifier (RFC 9562, section 5.7) from a given time and given chance.
public struct UUIDv7: Sendable, Hashable, CustomStringConvertible {
  /// The 16 bytes, most significant first.
  private let high: UInt64
  private let low: UInt64

  /// - Parameters:
  ///   - time: the moment it stands for, kept in milliseconds.
  ///   - random: 74 bits of these 128 are used.
  public init(time: Date, random: (UInt64, UInt64)) {
    let milliseconds = UInt64(max(0, time.millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
    high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
    low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
  }

  /// Lower-case hexadecimal in groups of 8, 4, 4, 4 and 12 digits.
  public var description: String {
    let digits = Self.hex(high) + Self.hex(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  private static func hex(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
