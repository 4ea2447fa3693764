/// Answers a conversation.
public protocol LanguageModel: Sendable {
  /// Asks for the next message of the assistant.
  ///
  /// Returns as soon as the request is accepted; the answer streams through the reply.
  func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply

  /// Reads a prompt that is likely to be the beginning of the next one, so that its first word
  /// comes sooner. Nothing is answered, nothing is charged, and a failure shows only later.
  func prepare(for prompt: ModelPrompt) async
}

extension LanguageModel {
  /// A provider without a cache of its own has nothing to prepare.
  public func prepare(for prompt: ModelPrompt) async {}
}

/// A model that hears and speaks itself: the last message of a prompt may carry the person's own
/// sound, and its replies carry ``ModelEvent/speech(_:rate:)`` beside the words of it.
public protocol SpeechToSpeech: LanguageModel {}

/// An answer as it streams in.
public protocol ModelReply: Sendable {
  /// What came next; nil after ``ModelEvent/finished(_:)``.
  func next() async throws(ProviderError) -> ModelEvent?

  /// Takes the request back; does nothing once it has ended.
  func cancel() async
}

/// A piece of an answer.
public enum ModelEvent: Sendable, Equatable {
  case text(String)
  /// The answer's own sound, mono PCM16 at `rate` Hz; of speech-to-speech models only, whose `text` is
  /// what they say.
  case speech([Int16], rate: Int)
  /// A complete call; its fragments are put together by the provider.
  case toolCall(ModelToolCall)
  case finished(ModelUsage)
}

/// A call the model asks for.
public struct ModelToolCall: Sendable, Equatable {
  public var id: String
  public var name: String
  /// JSON text of an object.
  public var arguments: String

  public init(id: String, name: String, arguments: String) {
    self.id = id
    self.name = name
    self.arguments = arguments
  }
}

/// What one request cost, in tokens.
public struct ModelUsage: Sendable, Equatable {
  public var inputTokens: Int
  /// Part of `inputTokens` that came from a cache.
  public var cachedInputTokens: Int
  public var outputTokens: Int

  public init(inputTokens: Int = 0, cachedInputTokens: Int = 0, outputTokens: Int = 0) {
    self.inputTokens = inputTokens
    self.cachedInputTokens = cachedInputTokens
    self.outputTokens = outputTokens
  }
}
