public import Foundation

/// The conditions of a query; every one that is given has to match (R118).
public struct SessionFilter: Sendable, Hashable {
  public var agent: String?
  public var agentID: String?
  public var configID: String?
  public var userID: String?
  public var projectID: String?
  public var modality: Modality?
  public var state: SessionState?
  public var createdSince: Date?
  public var createdBefore: Date?
  public var custom: [String: String]?
  public var text: String?

  public init() {}
}

extension SessionFilter: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the filter")
    agent = try Self.equal("agent", &reader)
    agentID = try Self.equal("agent_id", &reader)
    configID = try Self.equal("config_id", &reader)
    userID = try Self.equal("user_id", &reader)
    projectID = try Self.equal("project_id", &reader)
    modality = try Self.equalWord("modality", &reader)
    state = try Self.equalWord("state", &reader)
    custom = try reader.stringMap("custom")
    if let value = reader.value("created_at") {
      var range = try FieldReader(value, "created_at")
      createdSince = try range.date("$gte")
      createdBefore = try range.date("$lt")
      try range.refuseUnknownFields()
    }
    if let value = reader.value("text") {
      var search = try FieldReader(value, "text")
      text = try search.requiredString("$q", limit: 1000)
      try search.refuseUnknownFields()
    }
    try reader.refuseUnknownFields()
    if text != nil, projectID != nil {
      throw WireError(
        .textWithProject, "A text search cannot be combined with project_id; leave one out.")
    }
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("agent", agent)
    writer.set("agent_id", agentID)
    writer.set("config_id", configID)
    writer.set("user_id", userID)
    writer.set("project_id", projectID)
    writer.set("modality", modality?.rawValue)
    writer.set("state", state?.rawValue)
    writer.set("custom", custom)
    if createdSince != nil || createdBefore != nil {
      var range = FieldWriter()
      range.set("$gte", createdSince)
      range.set("$lt", createdBefore)
      writer.set("created_at", range.json)
    }
    if let text { writer.set("text", ["$q": .string(text)]) }
    return writer.json
  }

  /// A value, or `{"$eq": value}`.
  private static func equal(
    _ name: String, _ reader: inout FieldReader
  ) throws(WireError) -> String? {
    guard let value = reader.value(name) else { return nil }
    if case .string(let text) = value { return text }
    guard case .object = value else { throw reader.wrong(name, value, "a string or {\"$eq\": ..}") }
    var inner = try FieldReader(value, name)
    let text = try inner.requiredString("$eq")
    try inner.refuseUnknownFields()
    return text
  }

  private static func equalWord<Word>(
    _ name: String, _ reader: inout FieldReader
  ) throws(WireError) -> Word? where Word: RawRepresentable<String> & CaseIterable {
    guard let text = try equal(name, &reader) else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw reader.wrong(name, .string(text), "one of \(words)")
    }
    return word
  }
}
