/// The playout clock at one moment, read without a lock.
public struct PlayoutSnapshot: Sendable, Hashable {
  /// The capture frame of now (48 kHz, not wrapped).
  public var now: UInt64
  /// Whether the agent is heard now.
  public var isAudible: Bool
  /// Packets of speech that wait to be played, 20 ms each.
  public var queuedPackets: Int
  /// Frames between writing a sample and hearing it.
  public var delayFrames: Int
  /// The newest generation of which a sample was heard; `nil` before the first.
  public var progress: PlayoutProgress?
  /// By how many millionths the speaker's clock is faster than the microphone's.
  public var driftPPM: Double = 0
  /// Whether that is known within 1.
  public var isDriftLocked = false
  /// Frames between what the device reports and the air, in force now.
  public var hiddenLatencyFrames: Int = 0
  /// Whether the echo told that latency, so that it is worth keeping for this device.
  public var isHiddenLatencyFound = false
  /// Whether the canceller takes the device's own channel for what the speaker plays.
  public var isReferenceWired = false

  public init(
    now: UInt64, isAudible: Bool, queuedPackets: Int, delayFrames: Int, progress: PlayoutProgress?
  ) {
    self.now = now
    self.isAudible = isAudible
    self.queuedPackets = queuedPackets
    self.delayFrames = delayFrames
    self.progress = progress
  }
}
