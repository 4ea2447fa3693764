/// How the packets of one device and the router reach each other.
///
/// Speech is perishable: nothing here ever makes the sender wait. Above its bound a transport drops
/// the oldest speech and counts it.
public protocol CallTransport: AnyObject, Sendable {
  /// Queues frames in order; returns at once.
  func send(_ frames: [MediaFrame]) async

  /// Takes back queued frames of generations before `generation`, those cut by a flush.
  func discard(generationsBefore generation: UInt32) async

  /// The next thing that arrived; nil after `.closed`. One reader at a time.
  func receive() async -> CallTransportEvent?

  /// Ends the transport; frames still queued are dropped. Safe to call more than once.
  func close(code: Int, reason: String) async

  var counters: CallTransportCounters { get async }
}

/// What a transport's reader sees.
public enum CallTransportEvent: Sendable, Equatable {
  case frame(MediaFrame)
  /// The end, with the WebSocket's close code.
  case closed(code: Int, reason: String)
}

/// What a transport has done so far.
public struct CallTransportCounters: Sendable, Equatable {
  public var sent = 0
  public var received = 0
  /// Frames dropped at the outgoing queue's bound, the oldest first.
  public var droppedAtBound = 0
  /// Frames taken back by a flush.
  public var discarded = 0
  /// Messages that were no media frame, skipped.
  public var malformed = 0

  public init() {}
}
