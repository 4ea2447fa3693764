/// Turns speech into words.
public protocol SpeechToText: Sendable {
  /// Opens a request; speech is appended while the person speaks.
  func begin() async throws(ProviderError) -> any TranscriptionRequest
}

/// One utterance being recognised.
public protocol TranscriptionRequest: Sendable {
  /// Appends mono PCM16 at 16 kHz. Never throws: a failure shows in ``finish()``.
  func append(_ samples: [Int16]) async

  /// Says that the utterance is over and waits for its words.
  func finish() async throws(ProviderError) -> Transcript

  /// Takes the request back; does nothing once it has ended.
  func cancel() async
}

/// What was recognised.
public struct Transcript: Sendable, Equatable {
  /// Trimmed; empty when there was no speech.
  public var text: String
  /// BCP 47; empty when the provider does not say.
  public var language: String
  /// How long the provider says the decoding took.
  public var decodeTime: Duration?

  public init(text: String, language: String = "", decodeTime: Duration? = nil) {
    self.text = text
    self.language = language
    self.decodeTime = decodeTime
  }
}
