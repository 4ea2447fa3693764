public import Networking

/// The providers of a router, by the names its configuration and its sessions use.
///
/// A name is a provider's own (`local`, `openai`) or a route (`llm-fast`) that leads to one; the
/// empty name means the default.
public struct ProviderRegistry: Sendable {
  private var recognisers: [String: any SpeechToText] = [:]
  private var models: [String: any LanguageModel] = [:]
  private var voices: [String: any TextToSpeech] = [:]
  private var speechModels: [String: any LanguageModel] = [:]
  private var routes: [String: [String]] = [:]
  /// Who judges whether a person is done; nil leaves that to the silence.
  public var endOfTurn: (any EndOfTurnModel)?

  private let runtime: (any Runtime)?

  /// - Parameter runtime: whose clock tells that a model of a route is too slow; without it a route
  ///   leads to its first model alone.
  public init(runtime: (any Runtime)? = nil) {
    self.runtime = runtime
  }

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
    addRoute(route, to: [name])
  }

  /// Lets `route` lead to the first of `names`, and to the others in their order when it fails.
  public mutating func addRoute(_ route: String, to names: [String]) {
    routes[route] = names
  }

  /// The voice that says what has to be said when no other can; nil when there is none.
  public var spareVoice: (any TextToSpeech)?

  /// The recogniser a name leads to; nil when it does not route (R34).
  public func speechToText(_ name: String = "") -> (any SpeechToText)? {
    if let recogniser = recognisers[name] { return recogniser }
    let chain = (routes[name] ?? []).compactMap { recognisers[$0] }
    guard chain.count > 1, let runtime else { return chain.first }
    return FallbackSpeechToText(chain, runtime: runtime)
  }

  /// The model a name leads to; nil when it does not route (R34).
  public func languageModel(_ name: String = "") -> (any LanguageModel)? {
    if let model = models[name] { return model }
    let chain = (routes[name] ?? []).compactMap { models[$0] }
    guard chain.count > 1, let runtime else { return chain.first }
    return FallbackLanguageModel(chain, runtime: runtime)
  }

  /// The speech-to-speech model a name leads to; nil when it does not route (R34).
  public func speechToSpeech(_ name: String) -> (any LanguageModel)? {
    speechModels[name] ?? routes[name]?.lazy.compactMap { speechModels[$0] }.first
  }

  /// The voice a name leads to; nil when it does not route (R34).
  public func textToSpeech(_ name: String = "") -> (any TextToSpeech)? {
    textToSpeechChain(name).first
  }

  /// The voice a name leads to and those that stand in for it, in their order; empty when it does
  /// not route.
  public func textToSpeechChain(_ name: String = "") -> [any TextToSpeech] {
    let chain = voices[name].map { [$0] } ?? (routes[name] ?? []).compactMap { voices[$0] }
    guard !chain.isEmpty, let spareVoice else { return chain }
    return chain + [spareVoice]
  }
}
