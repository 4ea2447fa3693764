import Foundation
import SessionsModel
import Stores

/// Records to store.
enum Sample {
  static func session(_ id: String, user: String = "jlahey") -> SessionRecord {
    SessionRecord(
      app: "app", id: id, owner: SessionOwner(kind: .user, userID: user), agent: "assistant",
      agentID: "assistant", createdAt: Date(millisecondsSince1970: 1_700_000_000_123))
  }

  static func turn(_ id: String, in session: SessionRecord) -> TurnRecord {
    TurnRecord(
      sessionID: session.id, id: id, requestID: "\(id)-request", origin: .typed,
      said: "Where is order 1042?", createdAt: Date(millisecondsSince1970: 7))
  }

  static func item(_ response: String, _ ordinal: Int) -> AgentResponseItem {
    AgentResponseItem(
      responseID: response, ordinal: ordinal, kind: .said, at: Date(millisecondsSince1970: 8),
      text: "Where is order 1042?")
  }

  static func message(_ id: String) -> TranscriptMessage {
    TranscriptMessage(
      id: id, role: .user, userID: "jlahey", text: "hello",
      createdAt: Date(millisecondsSince1970: 8), extra: ["spoken": true])
  }
}
