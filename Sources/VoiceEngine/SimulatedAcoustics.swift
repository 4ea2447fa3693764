/// The acoustics and the buffering of a simulated device.
public struct SimulatedAcoustics: Sendable, Hashable {
  /// Frames in the playback buffer ahead of each written block.
  public var playbackFrames: Int = 1_440
  /// Frames that the device delays the sound without telling.
  public var hiddenLatencyFrames: Int = 0
  /// Frames that already wait when a block is read.
  public var captureWaitingFrames: Int = 0
  /// Frames from the speaker to the microphone.
  public var echoDelayFrames: Int = 96
  /// Gain from the speaker to the microphone; 0 is no echo, 1 an echo return loss of 0 dB.
  public var echoGain: Float = 0.5
  /// Impulse response of the room, scaled by the gain; at most 4,800 taps.
  public var impulseResponse: [Float] = [1]

  public init() {}
}
