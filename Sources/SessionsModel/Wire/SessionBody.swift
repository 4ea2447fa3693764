public import Foundation

/// A session as the wire shows it (contract part 1, 1.4 "Session", and part 2).
public struct SessionBody: Sendable, Hashable {
  public var id: String
  public var agentID: String
  public var agent: String?
  public var configID: String?
  public var userID: String
  /// The session's id while voice is on, otherwise empty.
  public var callID: String
  public var callType: String
  public var state: SessionState
  public var modality: Modality
  public var mode: SessionMode?
  public var createdAt: Date
  public var updatedAt: Date?
  public var lastResponseAt: Date?
  public var closedAt: Date?
  public var title: String?
  public var description: String?
  public var custom: [String: JSONValue]?
  public var projectID: String?
  public var forkedFrom: String?
  public var incognito: Bool?
  public var instructions: String?
  public var llm: String?
  public var stt: String?
  public var tts: String?
  public var sts: String?
  public var voice: String?
  public var modelOverwrites: ModelOverwrites?
  public var conversationID: String?
  /// 1 to 5; told to backends only.
  public var reviewScore: Int?
  /// Told to backends only.
  public var reviewNotes: String?
  /// Told to backends only.
  public var usage: SessionUsage?

  public init(
    id: String, agentID: String, userID: String, state: SessionState, modality: Modality,
    createdAt: Date
  ) {
    self.id = id
    self.agentID = agentID
    self.userID = userID
    callID = ""
    callType = "agent"
    self.state = state
    self.modality = modality
    self.createdAt = createdAt
  }

  /// Whether the agent is on the session's call.
  public var isVoiceOn: Bool { !callID.isEmpty }
}

extension SessionBody: WireValue {
  /// Fields this version does not know are skipped: a newer router may send more.
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a session")
    id = try reader.requiredString("id")
    agentID = try reader.string("agent_id") ?? ""
    userID = try reader.string("user_id") ?? ""
    callID = try reader.string("call_id") ?? ""
    callType = try reader.string("call_type") ?? "agent"
    guard
      let state = try reader.word("state", as: SessionState.self),
      let modality = try reader.word("modality", as: Modality.self),
      let createdAt = try reader.date("created_at")
    else { throw reader.missing("state, modality or created_at") }
    self.state = state
    self.modality = modality
    self.createdAt = createdAt
    try readTimesAndLabels(&reader)
    try readModels(&reader)
    reviewScore = try reader.int("review_score")
    reviewNotes = try reader.string("review_notes")
    usage = try reader.wire("usage", as: SessionUsage.self)
  }

  private mutating func readTimesAndLabels(_ reader: inout FieldReader) throws(WireError) {
    agent = try reader.string("agent")
    configID = try reader.string("config_id")
    updatedAt = try reader.date("updated_at")
    lastResponseAt = try reader.date("last_response_at")
    closedAt = try reader.date("closed_at")
    title = try reader.string("title")
    description = try reader.string("description")
    custom = try reader.object("custom")
    projectID = try reader.string("project_id")
    forkedFrom = try reader.string("forked_from")
    incognito = try reader.bool("incognito")
    conversationID = try reader.string("conversation_id")
  }

  private mutating func readModels(_ reader: inout FieldReader) throws(WireError) {
    mode = try reader.word("mode", as: SessionMode.self)
    instructions = try reader.string("instructions")
    llm = try reader.string("llm")
    stt = try reader.string("stt")
    tts = try reader.string("tts")
    sts = try reader.string("sts")
    voice = try reader.string("voice")
    modelOverwrites = try reader.wire("model_overwrites", as: ModelOverwrites.self)
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("id", id)
    writer.set("agent_id", agentID)
    writer.set("agent", agent)
    writer.set("config_id", configID)
    writer.set("user_id", userID)
    writer.set("call_id", callID)
    writer.set("call_type", callType)
    writer.set("state", state.rawValue)
    writer.set("modality", modality.rawValue)
    writer.set("mode", mode?.rawValue)
    writer.set("created_at", createdAt)
    writer.set("updated_at", updatedAt)
    writer.set("last_response_at", lastResponseAt)
    writer.set("closed_at", closedAt)
    writer.set("title", title)
    writer.set("description", description)
    writer.set("custom", custom.map { .object($0) })
    writer.set("project_id", projectID)
    writer.set("forked_from", forkedFrom)
    writer.set("incognito", incognito)
    writer.set("instructions", instructions)
    writer.set("llm", llm)
    writer.set("stt", stt)
    writer.set("tts", tts)
    writer.set("sts", sts)
    writer.set("voice", voice)
    writer.set("model_overwrites", modelOverwrites?.json)
    writer.set("conversation_id", conversationID)
    writer.set("review_score", reviewScore)
    writer.set("review_notes", reviewNotes)
    writer.set("usage", usage?.json)
    return writer.json
  }
}
