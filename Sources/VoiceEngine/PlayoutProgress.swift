/// How much of one generation was really heard.
public struct PlayoutProgress: Sendable, Hashable {
  /// The utterance of the agent.
  public var generation: UInt32
  /// Frames of the generation heard so far, at 48 kHz; gaps in between do not count.
  public var playedFrames: UInt64
  /// When its first sample over -40 dBFS was heard, in capture frames modulo 2^32; `nil` before.
  public var startedAt: UInt32?
  /// Whether the last sample of an ended generation was heard.
  public var isFinished: Bool
  /// Whether it was cut by a flush; then it never finishes.
  public var isFlushed: Bool

  public init(
    generation: UInt32, playedFrames: UInt64, startedAt: UInt32?, isFinished: Bool, isFlushed: Bool
  ) {
    self.generation = generation
    self.playedFrames = playedFrames
    self.startedAt = startedAt
    self.isFinished = isFinished
    self.isFlushed = isFlushed
  }

  /// Milliseconds of the generation heard so far.
  public var playedMilliseconds: Int {
    Int(playedFrames / 48)
  }
}
