import Networking

/// Growing pauses between attempts: the first one short, doubling up to a limit.
public struct BackOff: Sendable, Equatable {
  public let first: Duration
  public let limit: Duration
  /// Attempts since the last success.
  public private(set) var attempts = 0

  public init(first: Duration = .milliseconds(250), limit: Duration = .seconds(8)) {
    self.first = first
    self.limit = limit
  }

  /// The pause before the next attempt.
  ///
  /// - Parameter chance: a random number; it shortens the pause by up to a half, so that devices
  ///   that lost the same router do not come back at the same instant.
  public mutating func next(chance: UInt64) -> Duration {
    let doublings = min(attempts, 16)
    attempts += 1
    let full = min(first.nanoseconds << Int64(doublings), limit.nanoseconds)
    let spread = Int64(chance % 1024)
    return .nanoseconds(full - full * spread / 2048)
  }

  /// An attempt succeeded: the next pause is short again.
  public mutating func reset() {
    attempts = 0
  }
}
