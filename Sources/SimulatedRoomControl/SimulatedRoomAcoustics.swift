/// How a simulated room sounds.
public struct SimulatedRoomAcoustics: Sendable, Equatable {
  /// Speaker level less the echo's level at the microphone, in dB; 200 or more: no echo.
  public var echoReturnLossDB: Double
  /// From the speaker to the microphone, 0 to 500 ms.
  public var delayMS: Double
  /// Reverberation time, 0 to 1,000 ms.
  public var rt60MS: Double
  /// Root mean square of the noise floor; -120 or less: none.
  public var noiseDBFS: Double
  /// Of noise and impulse response.
  public var seed: UInt32

  /// A small office with the speaker beside the microphone.
  public init(
    echoReturnLossDB: Double = 6, delayMS: Double = 10, rt60MS: Double = 200,
    noiseDBFS: Double = -70, seed: UInt32 = 1
  ) {
    self.echoReturnLossDB = echoReturnLossDB
    self.delayMS = delayMS
    self.rt60MS = rt60MS
    self.noiseDBFS = noiseDBFS
    self.seed = seed
  }
}
