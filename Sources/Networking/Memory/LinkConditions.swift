/// How a simulated network behaves.
public struct LinkConditions: Sendable, Equatable {
  public enum State: Sendable {
    case up
    /// Nothing moves until the link is up again, such as in a hole of a wireless network.
    case stalled
    /// Connections break, and new ones cannot be made.
    case down
  }

  /// The time a message takes one way.
  public var latency: Duration
  public var state: State

  public init(latency: Duration = .zero, state: State = .up) {
    self.latency = latency
    self.state = state
  }
}
