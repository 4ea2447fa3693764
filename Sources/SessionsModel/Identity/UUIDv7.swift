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
    // Every answer carries one: no intermediate texts.
    String(unsafeUninitializedCapacity: 36) { buffer in
      var place = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[place] = UInt8(ascii: "-")
          place += 1
        }
        let half = index < 16 ? high : low
        let digit = UInt8(half >> UInt64(60 - 4 * (index & 15)) & 15)
        buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        place += 1
      }
      return place
    }
  }
}
