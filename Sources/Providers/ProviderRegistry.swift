/// The providers of a router, by the names its configuration and its sessions use.
///
/// A name is a provider's own (`local`, `openai`) or a route (`llm-fast`) that leads to one; the
/// empty name means the default.
public struct ProviderRegistry: Sendable {
  private var recognisers: [String: any SpeechToText] = [:]
  private var models: [String: any LanguageModel] = [:]
  private var voices: [String: any TextToSpeech] = [:]
  private var speechModels: [String: any LanguageModel] = [:]
  private var routes: [String: String] = [:]

  public init() {}

  /// Adds a recogniser; the first one is the default.
  public mutating func add(_ provider: any SpeechToText, named name: String) {
    recognisers[name] = provider
    if recognisers[""] == nil { recognisers[""] = provider }
  }

  /// Adds a model; the first one is the default.
  public mutating func add(_ provider: any LanguageModel, named name: String) {
    models[name] = provider
    if models[""] == nil { models[""] = provider }
  }

  /// Adds a voice; the first one is the default.
  public mutating func add(_ provider: any TextToSpeech, named name: String) {
    voices[name] = provider
    if voices[""] == nil { voices[""] = provider }
  }

  /// Adds a model that hears and speaks itself; it has no default, because it is always named.
  public mutating func addSpeechToSpeech(_ provider: any LanguageModel, named name: String) {
    speechModels[name] = provider
  }

  /// Lets `route` lead to the provider called `name`.
  public mutating func addRoute(_ route: String, to name: String) {
    routes[route] = name
  }

  /// The recogniser a name leads to; nil when it does not route (R34).
  public func speechToText(_ name: String = "") -> (any SpeechToText)? {
    recognisers[name] ?? routes[name].flatMap { recognisers[$0] }
  }

  /// The model a name leads to; nil when it does not route (R34).
  public func languageModel(_ name: String = "") -> (any LanguageModel)? {
    models[name] ?? routes[name].flatMap { models[$0] }
  }

  /// The speech-to-speech model a name leads to; nil when it does not route (R34).
  public func speechToSpeech(_ name: String) -> (any LanguageModel)? {
    speechModels[name] ?? routes[name].flatMap { speechModels[$0] }
  }

  /// The voice a name leads to; nil when it does not route (R34).
  public func textToSpeech(_ name: String = "") -> (any TextToSpeech)? {
    voices[name] ?? routes[name].flatMap { voices[$0] }
  }
}
