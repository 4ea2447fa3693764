/// A point on a runtime's monotonic clock, in nanoseconds from an arbitrary start.
public struct MonotonicInstant: Sendable, Hashable, Comparable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: Self, right: Duration) -> Self {
    Self(nanoseconds: left.nanoseconds + right.nanoseconds)
  }

  public static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

extension Duration {
  /// The whole duration in nanoseconds, rounded towards zero.
  public var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }

  /// The duration in milliseconds, with fractions.
  public var milliseconds: Double {
    Double(nanoseconds) / 1_000_000
  }
}
