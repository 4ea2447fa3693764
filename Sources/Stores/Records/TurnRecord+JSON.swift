import Foundation
import SessionsModel

// The form in which a database keeps a turn.
extension TurnRecord {
  init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a stored turn")
    guard
      let origin = Origin(rawValue: try reader.requiredString("origin")),
      let status = try reader.word("status", as: AgentResponse.Status.self),
      let createdAt = try reader.milliseconds("created_at")
    else { throw reader.missing("origin, status or created_at") }
    self.init(
      sessionID: try reader.requiredString("session_id"), id: try reader.requiredString("id"),
      requestID: try reader.requiredString("request_id"), origin: origin,
      said: try reader.requiredString("said"), createdAt: createdAt)
    self.status = status
    answer = try reader.requiredString("answer")
    isInterrupted = try reader.bool("interrupted") ?? false
    isRewound = try reader.bool("rewound") ?? false
    finishedAt = try reader.milliseconds("finished_at")
    error = try reader.string("error")
  }

  var json: JSONValue {
    var writer = FieldWriter()
    writer.set("session_id", sessionID)
    writer.set("id", id)
    writer.set("request_id", requestID)
    writer.set("origin", origin.rawValue)
    writer.set("status", status.rawValue)
    writer.set("said", said)
    writer.set("answer", answer)
    writer.set("interrupted", isInterrupted)
    writer.set("rewound", isRewound)
    writer.set("created_at", createdAt.millisecondsSince1970)
    writer.set("finished_at", finishedAt?.millisecondsSince1970)
    writer.set("error", error)
    return writer.json
  }
}
