public import SessionsModel

/// The last frames of a session, numbered, so that a watcher that lost its socket can go on.
public struct EventLog: Sendable {
  /// Frames kept for a watcher that comes back (contract part 2, "Events").
  public static let capacity = 1024

  /// Changes with every life of the session in a router; a number means something only within it.
  public let stream: String
  /// The number of the newest frame; 0 before the first.
  public private(set) var lastSequence: UInt64 = 0
  private var ring: [Frame] = []

  /// - Parameter stream: a fresh UUID.
  public init(stream: String) {
    self.stream = stream
  }

  /// Numbers and keeps a frame; the oldest one falls out at the capacity.
  ///
  /// - Returns: the frame with its number, to be sent.
  public mutating func append(_ frame: Frame) -> Frame {
    lastSequence += 1
    var numbered = frame.sharing
    numbered.seq = lastSequence
    if ring.count < Self.capacity {
      ring.append(numbered)
    } else {
      ring[Int((lastSequence - 1) % UInt64(Self.capacity))] = numbered
    }
    return numbered
  }

  /// What a watcher missed.
  public struct Resumption: Sendable, Hashable {
    /// Frames after the one it saw last, oldest first.
    public var frames: [Frame]
    /// Frames are missing before these: the watcher has to fill up from the items.
    public var gap: Bool
  }

  /// What came after a frame that a watcher saw last.
  ///
  /// - Parameters:
  ///   - sequence: its number; nil for a watcher that comes for the first time, which gets nothing.
  ///   - stream: the stream it was of.
  public func resume(after sequence: UInt64?, stream: String?) -> Resumption {
    guard let sequence else { return Resumption(frames: [], gap: false) }
    guard stream == self.stream, sequence <= lastSequence else {
      return Resumption(frames: [], gap: true)
    }
    let missed = lastSequence - sequence
    guard missed <= UInt64(ring.count) else { return Resumption(frames: [], gap: true) }
    let start = lastSequence - missed
    let frames = (start..<lastSequence).map { ring[Int($0 % UInt64(Self.capacity))] }
    return Resumption(frames: frames, gap: false)
  }
}
