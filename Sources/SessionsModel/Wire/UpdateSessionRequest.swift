/// Body of `PATCH /v1/agents/sessions/{id}`; what is nil stays as it is.
public struct UpdateSessionRequest: Sendable, Hashable {
  public var title: String?
  public var description: String?
  /// Replaces the whole object; empty clears it.
  public var custom: [String: JSONValue]?
  public var instructions: String?
  public var llm: String?
  public var stt: String?
  public var tts: String?
  /// Empty switches back from speech-to-speech.
  public var sts: String?
  /// Empty means the provider's default.
  public var voice: String?
  public var thinking: Thinking?
  public var temperature: Double?
  public var maxOutputTokens: Int?
  public var verbosity: Verbosity?

  public init() {}

  /// Whether anything beyond a session's labels is to change, which only a backend may do (R35).
  public var changesMoreThanLabels: Bool {
    instructions != nil || changesModels
  }

  /// Whether models, voice or their settings are to change; refused on an ended session.
  public var changesModels: Bool {
    llm != nil || stt != nil || tts != nil || sts != nil || voice != nil || thinking != nil
      || temperature != nil || maxOutputTokens != nil || verbosity != nil
  }
}

extension UpdateSessionRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the changes")
    title = try reader.string("title")
    description = try reader.string("description")
    custom = try reader.object("custom")
    instructions = try reader.string("instructions")
    llm = try reader.string("llm")
    stt = try reader.string("stt")
    tts = try reader.string("tts")
    sts = try reader.string("sts")
    voice = try reader.string("voice")
    thinking = try reader.word("thinking", as: Thinking.self)
    temperature = try reader.double("temperature")
    maxOutputTokens = try reader.int("max_output_tokens")
    verbosity = try reader.word("verbosity", as: Verbosity.self)
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("title", title)
    writer.set("description", description)
    writer.set("custom", custom.map { .object($0) })
    writer.set("instructions", instructions)
    writer.set("llm", llm)
    writer.set("stt", stt)
    writer.set("tts", tts)
    writer.set("sts", sts)
    writer.set("voice", voice)
    writer.set("thinking", thinking?.rawValue)
    writer.set("temperature", temperature)
    writer.set("max_output_tokens", maxOutputTokens)
    writer.set("verbosity", verbosity?.rawValue)
    return writer.json
  }
}
