public import Foundation
public import Networking
import SessionsModel

extension Runtime {
  /// A new time-ordered id from the runtime's clock and chance.
  public func makeID() -> String {
    UUIDv7(time: wallClock, random: (randomUInt64(), randomUInt64())).description
  }

  /// The time of day as records and the wire keep it.
  public var timestamp: Date { wallClock.roundedToMilliseconds }

  /// Whole seconds since 1970, for tokens.
  public var secondsSince1970: Int { Int(wallClock.timeIntervalSince1970.rounded(.down)) }
}
