public import Foundation

/// One step of a turn: what was said, thought, called, answered.
public struct AgentResponseItem: Sendable, Hashable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case said, thought
    case toolCall = "tool_call"
    case toolResult = "tool_result"
    case answer, blocked, error
  }

  public var responseID: String
  /// Place within the response, from 0.
  public var ordinal: Int
  public var kind: Kind
  public var at: Date
  public var text: String?
  public var toolName: String?
  public var payload: JSONValue?
  public var sessionID: String?

  public init(responseID: String, ordinal: Int, kind: Kind, at: Date, text: String? = nil) {
    self.responseID = responseID
    self.ordinal = ordinal
    self.kind = kind
    self.at = at
    self.text = text
  }
}

extension AgentResponseItem: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "an item")
    responseID = try reader.requiredString("response_id")
    ordinal = try reader.int("ordinal") ?? 0
    guard
      let kind = try reader.word("kind", as: Kind.self),
      let at = try reader.date("at")
    else { throw reader.missing("kind or at") }
    self.kind = kind
    self.at = at
    text = try reader.string("text")
    toolName = try reader.string("tool_name")
    payload = reader.value("payload")
    sessionID = try reader.string("session_id")
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("response_id", responseID)
    writer.set("ordinal", ordinal)
    writer.set("kind", kind.rawValue)
    writer.set("at", at)
    writer.set("text", text)
    writer.set("tool_name", toolName)
    writer.set("payload", payload)
    writer.set("session_id", sessionID)
    return writer.json
  }
}
