/// Turns words into speech.
public protocol TextToSpeech: Sendable {
  /// Sample rate of what ``speak(_:voice:)`` gives, in Hz.
  var rate: Int { get async }

  /// Speaks one clause or sentence.
  ///
  /// - Parameter voice: the provider's name of a voice; empty for its default.
  func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply
}

/// Speech being made.
public protocol SpeechReply: Sendable {
  /// Sample rate of this reply, in Hz, known with its first samples; nil means the provider's own.
  var rate: Int? { get async }

  /// The next samples, mono PCM16; nil at the end.
  func next() async throws(ProviderError) -> [Int16]?

  /// Takes the request back; does nothing once it has ended.
  func cancel() async

  /// Where the spoken words end, in samples from the beginning of the reply, as far as they are
  /// known by now; empty of a voice that does not tell.
  var wordEnds: [Int] { get }
}

extension SpeechReply {
  public var wordEnds: [Int] { [] }

  /// A provider with one rate need not say it again.
  public var rate: Int? { nil }
}
