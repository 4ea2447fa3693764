public import Foundation

/// One turn of a conversation as the wire shows it.
public struct AgentResponse: Sendable, Hashable {
  public enum Status: String, Sendable, Codable, CaseIterable {
    case running, completed, failed, cancelled
  }

  /// Also the `turn_id` of every frame of the turn.
  public var id: String
  public var sessionID: String
  public var requestID: String?
  public var status: Status
  /// What the user said or wrote.
  public var said: String?
  public var createdAt: Date
  public var finishedAt: Date?
  public var error: String?

  public init(id: String, sessionID: String, status: Status, createdAt: Date) {
    self.id = id
    self.sessionID = sessionID
    self.status = status
    self.createdAt = createdAt
  }
}

extension AgentResponse: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a response")
    id = try reader.requiredString("id")
    sessionID = try reader.requiredString("session_id")
    requestID = try reader.string("request_id")
    guard
      let status = try reader.word("status", as: Status.self),
      let createdAt = try reader.date("created_at")
    else { throw reader.missing("status or created_at") }
    self.status = status
    self.createdAt = createdAt
    said = try reader.string("said")
    finishedAt = try reader.date("finished_at")
    error = try reader.string("error")
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("id", id)
    writer.set("session_id", sessionID)
    writer.set("request_id", requestID)
    writer.set("status", status.rawValue)
    writer.set("said", said)
    writer.set("created_at", createdAt)
    writer.set("finished_at", finishedAt)
    writer.set("error", error)
    return writer.json
  }
}
