public import SessionsModel

/// What to change about a session; what is nil stays as it is.
///
/// A user's device may change the title, the description and the custom data only.
public struct SessionChanges: Sendable {
  public var title: String?
  public var description: String?
  /// Replaces the whole object; empty clears it.
  public var custom: [String: JSONValue]?
  public var llm: String?
  public var stt: String?
  public var tts: String?
  /// A speech-to-speech model; empty switches back.
  public var sts: String?
  /// Empty means the provider's default.
  public var voice: String?
  public var thinking: Thinking?
  public var temperature: Double?
  public var maxOutputTokens: Int?
  public var verbosity: Verbosity?
  public var instructions: String?

  public init(
    title: String? = nil, description: String? = nil, custom: [String: JSONValue]? = nil,
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    voice: String? = nil, temperature: Double? = nil, maxOutputTokens: Int? = nil,
    verbosity: Verbosity? = nil, instructions: String? = nil
  ) {
    self.title = title
    self.description = description
    self.custom = custom
    self.llm = llm
    self.stt = stt
    self.tts = tts
    self.sts = sts
    self.voice = voice
    self.temperature = temperature
    self.maxOutputTokens = maxOutputTokens
    self.verbosity = verbosity
    self.instructions = instructions
  }

  /// With `thinking` not optional, so that `.none` means the level and not a missing value.
  public init(
    title: String? = nil, description: String? = nil, custom: [String: JSONValue]? = nil,
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    voice: String? = nil, thinking: Thinking, temperature: Double? = nil,
    maxOutputTokens: Int? = nil, verbosity: Verbosity? = nil, instructions: String? = nil
  ) {
    self.init(
      title: title, description: description, custom: custom, llm: llm, stt: stt, tts: tts,
      sts: sts, voice: voice, temperature: temperature, maxOutputTokens: maxOutputTokens,
      verbosity: verbosity, instructions: instructions)
    self.thinking = thinking
  }

  var request: UpdateSessionRequest {
    var request = UpdateSessionRequest()
    request.title = title
    request.description = description
    request.custom = custom
    request.instructions = instructions
    request.llm = llm
    request.stt = stt
    request.tts = tts
    request.sts = sts
    request.voice = voice
    request.thinking = thinking
    request.temperature = temperature
    request.maxOutputTokens = maxOutputTokens
    request.verbosity = verbosity
    return request
  }
}
