public import Foundation

/// One message of a session's transcript channel (contract part 2, "Transcript channel").
public struct TranscriptMessage: Sendable, Hashable {
  public enum Role: String, Sendable, Codable, CaseIterable {
    case user, assistant
  }

  public var id: String
  public var role: Role
  public var userID: String
  public var text: String
  public var createdAt: Date
  public var updatedAt: Date
  /// generating, spoken, interrupted, response_id, request_id.
  public var extra: [String: JSONValue]

  public init(
    id: String, role: Role, userID: String, text: String, createdAt: Date,
    extra: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.role = role
    self.userID = userID
    self.text = text
    self.createdAt = createdAt
    updatedAt = createdAt
    self.extra = extra
  }
}

extension TranscriptMessage {
  /// The id of the message that a turn's user or agent wrote.
  public static func id(of turnID: String, _ role: Role) -> String { "\(turnID)-\(role.rawValue)" }
}

extension TranscriptMessage: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a message")
    id = try reader.requiredString("id")
    guard
      let role = try reader.word("role", as: Role.self),
      let createdAt = try reader.date("created_at")
    else { throw reader.missing("role or created_at") }
    self.role = role
    self.createdAt = createdAt
    userID = try reader.string("user_id") ?? ""
    text = try reader.string("text") ?? ""
    updatedAt = try reader.date("updated_at") ?? createdAt
    extra = try reader.object("extra") ?? [:]
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("id", id)
    writer.set("role", role.rawValue)
    writer.set("user_id", userID)
    writer.set("text", text)
    writer.set("created_at", createdAt)
    writer.set("updated_at", updatedAt)
    writer.set("extra", .object(extra))
    return writer.json
  }
}
