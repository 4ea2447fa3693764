/// The bounds of a router that `router.yaml` may change.
public struct RouterLimits: Sendable, Hashable {
  /// Sessions live at once; one more is refused with 503.
  public var liveSessions = 1000
  /// Connections at once; one more is closed at once.
  public var connections = 16_384
  /// Largest body of a request, in bytes.
  public var bodyBytes = 5 * 1024 * 1024

  /// What one user's devices may ask a day (UTC): messages, and tokens of the models; 0 for no limit.
  public var messagesPerDay = 0
  public var tokensPerDay = 0

  public init() {}
}
