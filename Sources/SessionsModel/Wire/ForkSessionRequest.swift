/// Body of `POST /v1/agents/sessions/{id}/fork`; what is nil is the parent's.
public struct ForkSessionRequest: Sendable, Hashable {
  public var agent: String?
  public var configID: String?
  public var title: String?
  public var description: String?
  public var projectID: String?
  public var custom: [String: JSONValue]?
  public var modelOverwrites: ModelOverwrites?
  public var incognito: Bool?
  public var instructions: String?
  /// Whether the parent's history is carried across; true when nil.
  public var messages: Bool?
  /// The response the history ends with.
  public var responseID: String?

  public init() {}
}

extension ForkSessionRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the fork")
    agent = try reader.string("agent")
    configID = try reader.string("config_id")
    title = try reader.string("title")
    description = try reader.string("description")
    projectID = try reader.string("project_id")
    custom = try reader.object("custom")
    modelOverwrites = try reader.wire("model_overwrites", as: ModelOverwrites.self)
    incognito = try reader.bool("incognito")
    instructions = try reader.string("instructions")
    messages = try reader.bool("messages")
    responseID = try reader.string("response_id")
    // A fork is always held in writing; the field is accepted for public clients.
    _ = try reader.string("call_id")
    try reader.refuseUnknownFields()
    if messages == false, responseID != nil {
      throw WireError(
        .messagesWithResponseID, "With messages false there is no history to end at response_id.")
    }
    if agent != nil, configID != nil {
      throw WireError(.agentAndConfig, "Name an agent or a config_id, not both.")
    }
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("agent", agent)
    writer.set("config_id", configID)
    writer.set("title", title)
    writer.set("description", description)
    writer.set("project_id", projectID)
    writer.set("custom", custom.map { .object($0) })
    writer.set("model_overwrites", modelOverwrites?.json)
    writer.set("incognito", incognito)
    writer.set("instructions", instructions)
    writer.set("messages", messages)
    writer.set("response_id", responseID)
    return writer.json
  }
}
