/// Models and settings of one conversation, over those of its agent.
public struct ModelOverwrites: Sendable, Hashable {
  public var llm: String?
  public var stt: String?
  public var tts: String?
  public var sts: String?
  public var search: String?
  public var thinking: Thinking?
  /// 0 is a request like any other.
  public var temperature: Double?
  public var maxOutputTokens: Int?
  public var verbosity: Verbosity?

  public init(
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    search: String? = nil, temperature: Double? = nil, maxOutputTokens: Int? = nil,
    verbosity: Verbosity? = nil
  ) {
    self.llm = llm
    self.stt = stt
    self.tts = tts
    self.sts = sts
    self.search = search
    self.temperature = temperature
    self.maxOutputTokens = maxOutputTokens
    self.verbosity = verbosity
  }

  /// With `thinking` not optional, so that `.none` means the level and not a missing value.
  public init(
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    search: String? = nil, thinking: Thinking, temperature: Double? = nil,
    maxOutputTokens: Int? = nil, verbosity: Verbosity? = nil
  ) {
    self.init(
      llm: llm, stt: stt, tts: tts, sts: sts, search: search, temperature: temperature,
      maxOutputTokens: maxOutputTokens, verbosity: verbosity)
    self.thinking = thinking
  }

  /// Takes over what `other` names.
  public mutating func merge(_ other: ModelOverwrites) {
    llm = other.llm ?? llm
    stt = other.stt ?? stt
    tts = other.tts ?? tts
    if let named = other.sts { sts = named.isEmpty ? nil : named }
    search = other.search ?? search
    thinking = other.thinking ?? thinking
    temperature = other.temperature ?? temperature
    maxOutputTokens = other.maxOutputTokens ?? maxOutputTokens
    verbosity = other.verbosity ?? verbosity
  }

  public var isEmpty: Bool { self == ModelOverwrites() }
}

extension ModelOverwrites: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "model_overwrites")
    self.init()
    llm = try reader.string("llm")
    stt = try reader.string("stt")
    tts = try reader.string("tts")
    sts = try reader.string("sts")
    search = try reader.string("search")
    thinking = try reader.word("thinking", as: Thinking.self)
    temperature = try reader.double("temperature")
    maxOutputTokens = try reader.int("max_output_tokens")
    verbosity = try reader.word("verbosity", as: Verbosity.self)
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("llm", llm)
    writer.set("stt", stt)
    writer.set("tts", tts)
    writer.set("sts", sts)
    writer.set("search", search)
    writer.set("thinking", thinking?.rawValue)
    writer.set("temperature", temperature)
    writer.set("max_output_tokens", maxOutputTokens)
    writer.set("verbosity", verbosity?.rawValue)
    return writer.json
  }
}
