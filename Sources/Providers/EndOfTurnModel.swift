/// Judges from the sound of it whether a person has said all they wanted to say.
public protocol EndOfTurnModel: Sendable {
  /// The probability that nothing follows.
  ///
  /// - Parameter samples: what was said so far, mono PCM16 at 16 kHz; the last 8 s count.
  func completeness(of samples: [Int16]) async throws(ProviderError) -> Float
}
