/// Body of `POST /v1/agents/sessions`; every field is optional.
public struct CreateSessionRequest: Sendable, Hashable {
  public var id: String?
  public var agent: String?
  public var configID: String?
  public var title: String?
  public var description: String?
  public var projectID: String?
  public var custom: [String: JSONValue]?
  public var tags: [String: String]?
  public var modelOverwrites: ModelOverwrites?
  public var incognito: Bool?
  public var startVoice: Bool?
  public var instructions: String?
  public var greeting: String?
  public var voice: String?
  public var tools: [SessionTool]?
  /// 0 means the default of 30 s.
  public var toolTimeoutMilliseconds: Int?
  /// Fields of the public interface that are kept as they are, by name.
  public var further: [String: JSONValue] = [:]

  public init() {}

  /// Accepted for clients of the public interface; some have no effect here.
  private static let furtherNames = [
    "text", "call_id", "call_type", "languages", "memory", "max_tokens", "min_confidence",
    "backchannel", "video", "phone",
  ]
}

extension CreateSessionRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the session")
    self.init()
    id = try reader.string("id")
    agent = try reader.string("agent")
    configID = try reader.string("config_id")
    title = try reader.string("title")
    description = try reader.string("description")
    projectID = try reader.string("project_id")
    custom = try reader.object("custom")
    tags = try reader.stringMap("tags")
    incognito = try reader.bool("incognito")
    startVoice = try reader.bool("start_voice")
    instructions = try reader.string("instructions")
    greeting = try reader.string("greeting")
    voice = try reader.string("voice")
    toolTimeoutMilliseconds = try reader.int("tool_timeout_ms", in: 0...3_600_000)
    try readModels(&reader)
    try readTools(&reader)
    try readFurther(&reader)
    try reader.refuseUnknownFields()
    try check()
  }

  /// The public interface names models beside `model_overwrites` too; the latter win.
  private mutating func readModels(_ reader: inout FieldReader) throws(WireError) {
    var models = try reader.wire("model_overwrites", as: ModelOverwrites.self) ?? ModelOverwrites()
    let llm = try reader.string("llm")
    let stt = try reader.string("stt")
    let tts = try reader.string("tts")
    let sts = try reader.string("sts")
    let search = try reader.string("search")
    models.llm = models.llm ?? llm
    models.stt = models.stt ?? stt
    models.tts = models.tts ?? tts
    models.sts = models.sts ?? sts
    models.search = models.search ?? search
    modelOverwrites = models.isEmpty ? nil : models
  }

  private mutating func readTools(_ reader: inout FieldReader) throws(WireError) {
    guard let values = try reader.array("tools") else { return }
    var tools: [SessionTool] = []
    for value in values {
      let tool = try SessionTool(json: value)
      if tools.contains(where: { $0.name == tool.name }) {
        throw WireError(.invalidField, "The tool \(tool.name) is declared twice.")
      }
      tools.append(tool)
    }
    self.tools = tools
  }

  private mutating func readFurther(_ reader: inout FieldReader) throws(WireError) {
    for name in Self.furtherNames {
      if let value = reader.value(name) { further[name] = value }
    }
    if let keyterms = try reader.strings("keyterms") {
      guard keyterms.count <= 100 else {
        throw WireError(
          .invalidField, "There are \(keyterms.count) keyterms; at most 100 are allowed.")
      }
      further["keyterms"] = .array(keyterms.map { .string($0) })
    }
  }

  private func check() throws(WireError) {
    if let id, !Identifier.isValidSessionID(id) {
      throw WireError(
        .invalidID, "The id \(JSONValue.string(id)) is not 1 to 64 letters, digits, - and _.")
    }
    if agent != nil, configID != nil {
      throw WireError(.agentAndConfig, "Name an agent or a config_id, not both.")
    }
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    for (name, value) in further { writer.set(name, value) }
    writer.set("id", id)
    writer.set("agent", agent)
    writer.set("config_id", configID)
    writer.set("title", title)
    writer.set("description", description)
    writer.set("project_id", projectID)
    writer.set("custom", custom.map { .object($0) })
    writer.set("tags", tags)
    writer.set("model_overwrites", modelOverwrites?.json)
    writer.set("incognito", incognito)
    writer.set("start_voice", startVoice)
    writer.set("instructions", instructions)
    writer.set("greeting", greeting)
    writer.set("voice", voice)
    writer.set("tools", tools.map { .array($0.map(\.json)) })
    writer.set("tool_timeout_ms", toolTimeoutMilliseconds)
    return writer.json
  }
}
