extension LoopServer {
  /// What went by the bounds since the start.
  public struct Counters: Sendable, Equatable {
    /// Connections that sent at least one request.
    public var connections = 0
    public var requests = 0
    public var upgrades = 0
    public var refusedConnections = 0
    public var tooLargeBodies = 0
    public var tooLargeHeads = 0
    /// Connections that ended after an answer because the peer had sent the next request with the
    /// one before.
    public var pipelinedRequests = 0
    /// Answers whose connection had gone.
    public var droppedResponses = 0
  }
}
