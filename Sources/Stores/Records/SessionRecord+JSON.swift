import Foundation
import SessionsModel

// The form in which a database keeps a session; its columns are copies of what queries need.
extension SessionRecord {
  init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a stored session")
    guard
      let kind = SessionOwner.Kind(rawValue: try reader.requiredString("owner_kind")),
      let state = try reader.word("state", as: SessionState.self),
      let modality = try reader.word("modality", as: Modality.self),
      let createdAt = try reader.milliseconds("created_at"),
      let updatedAt = try reader.milliseconds("updated_at")
    else { throw reader.missing("owner_kind, state, modality, created_at or updated_at") }
    self.init(
      app: try reader.requiredString("app"), id: try reader.requiredString("id"),
      owner: SessionOwner(kind: kind, userID: try reader.requiredString("user_id")),
      agent: try reader.requiredString("agent"), agentID: try reader.requiredString("agent_id"),
      modality: modality, createdAt: createdAt)
    self.state = state
    self.updatedAt = updatedAt
    configID = try reader.string("config_id")
    isVoiceOn = try reader.bool("voice_on") ?? false
    lastResponseAt = try reader.milliseconds("last_response_at")
    closedAt = try reader.milliseconds("closed_at")
    incognito = try reader.bool("incognito") ?? false
    forkedFrom = try reader.string("forked_from")
    conversationID = try reader.string("conversation_id")
    usage = try reader.wire("usage", as: SessionUsage.self) ?? SessionUsage()
    reviewScore = try reader.int("review_score")
    reviewNotes = try reader.string("review_notes")
    answers = try reader.int("answers") ?? 0
    isNamingDue = try reader.bool("naming_due") ?? false
    isLookBackDue = try reader.bool("look_back_due") ?? false
    reviewedTurns = try reader.int("reviewed_turns") ?? 0
    if let value = reader.value("labels") { labels = try SessionLabels(json: value) }
    if let value = reader.value("settings") { settings = try SessionSettings(json: value) }
  }

  var json: JSONValue {
    var writer = FieldWriter()
    writer.set("app", app)
    writer.set("id", id)
    writer.set("owner_kind", owner.kind.rawValue)
    writer.set("user_id", owner.userID)
    writer.set("agent", agent)
    writer.set("agent_id", agentID)
    writer.set("config_id", configID)
    writer.set("state", state.rawValue)
    writer.set("modality", modality.rawValue)
    writer.set("voice_on", isVoiceOn)
    writer.set("created_at", createdAt.millisecondsSince1970)
    writer.set("updated_at", updatedAt.millisecondsSince1970)
    writer.set("last_response_at", lastResponseAt?.millisecondsSince1970)
    writer.set("closed_at", closedAt?.millisecondsSince1970)
    writer.set("labels", labels.json)
    writer.set("settings", settings.json)
    writer.set("incognito", incognito)
    writer.set("forked_from", forkedFrom)
    writer.set("conversation_id", conversationID)
    writer.set("usage", usage.json)
    writer.set("review_score", reviewScore)
    writer.set("review_notes", reviewNotes)
    writer.set("answers", answers)
    writer.set("naming_due", isNamingDue)
    if isLookBackDue { writer.set("look_back_due", true) }
    writer.set("reviewed_turns", reviewedTurns)
    return writer.json
  }
}

extension SessionLabels {
  init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "stored labels")
    self.init()
    title = try reader.string("title")
    description = try reader.string("description")
    projectID = try reader.string("project_id")
    custom = try reader.object("custom") ?? [:]
    tags = try reader.stringMap("tags") ?? [:]
    isTitleFrozen = try reader.bool("title_frozen") ?? false
    isDescriptionFrozen = try reader.bool("description_frozen") ?? false
  }

  var json: JSONValue {
    var writer = FieldWriter()
    writer.set("title", title)
    writer.set("description", description)
    writer.set("project_id", projectID)
    writer.set("custom", .object(custom))
    writer.set("tags", tags)
    writer.set("title_frozen", isTitleFrozen)
    writer.set("description_frozen", isDescriptionFrozen)
    return writer.json
  }
}

extension SessionSettings {
  init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "stored settings")
    self.init()
    models = try reader.wire("models", as: ModelOverwrites.self) ?? ModelOverwrites()
    instructions = try reader.string("instructions")
    greeting = try reader.string("greeting")
    voice = try reader.string("voice")
    for value in try reader.array("tools") ?? [] { tools.append(try SessionTool(json: value)) }
    toolTimeoutMilliseconds = try reader.int("tool_timeout_ms") ?? 0
    further = try reader.object("further") ?? [:]
  }

  var json: JSONValue {
    var writer = FieldWriter()
    writer.set("models", models.json)
    writer.set("instructions", instructions)
    writer.set("greeting", greeting)
    writer.set("voice", voice)
    writer.set("tools", .array(tools.map(\.json)))
    writer.set("tool_timeout_ms", toolTimeoutMilliseconds)
    writer.set("further", .object(further))
    return writer.json
  }
}

extension FieldReader {
  /// A moment in milliseconds since 1970, as the store keeps them.
  mutating func milliseconds(_ name: String) throws(WireError) -> Date? {
    try int(name, in: Int.min...Int.max).map { Date(millisecondsSince1970: $0) }
  }
}
