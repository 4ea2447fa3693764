/// The acoustics and the buffering of a simulated device.
public struct SimulatedAcoustics: Sendable, Hashable {
  /// Frames in the playback buffer ahead of each written block.
  public var playbackFrames: Int = 1_440
  /// By how many millionths the speaker's clock is faster than the microphone's.
  public var playbackPPM: Double = 0
  /// Frames that the device delays the sound without telling.
  public var hiddenLatencyFrames: Int = 0
  /// Frames that already wait when a block is read.
  public var captureWaitingFrames: Int = 0
  /// Frames by which a block is read late, at random up to this.
  public var wakeJitterFrames: Int = 0
  /// Random error of the reported delay, in frames, both ways.
  public var reportJitterFrames: Int = 0
  /// Steps of frames in which the reported position moves; 0 reports each frame.
  public var reportQuantumFrames: Int = 0
  /// Seed of what is random.
  public var seed: UInt32 = 1
  /// Frames from the speaker to the microphone.
  public var echoDelayFrames: Int = 96
  /// Gain from the speaker to the microphone; 0 is no echo, 1 an echo return loss of 0 dB.
  public var echoGain: Float = 0.5
  /// Impulse response of the room, scaled by the gain; at most 4,800 taps.
  public var impulseResponse: [Float] = [1]

  public init() {}
}
