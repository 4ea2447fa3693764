public import SessionsModel

/// One thing the conversation did.
public struct AgentEvent: Sendable, Hashable {
  /// The event's name as the router sent it.
  public let type: String
  /// Nil for an event this version does not know.
  public let kind: Kind?
  /// Everything the event carries, such as the timings of `turn`.
  public let fields: [String: JSONValue]

  init(_ frame: Frame) {
    type = frame.type.rawValue
    kind = Kind(rawValue: type)
    fields = frame.fields
  }
}

extension AgentEvent {
  /// What was said, in whole or in part; an `error` event's sentence; empty where there is none.
  public var text: String {
    fields["text"]?.stringValue ?? fields["error"]?.stringValue ?? ""
  }

  /// The turn the event belongs to; empty for none.
  public var turnID: String { fields["turn_id"]?.stringValue ?? "" }

  /// The request the event answers; empty for none.
  public var requestID: String { fields["request_id"]?.stringValue ?? "" }

  /// Who spoke, joined or left.
  public var participant: Participant? { fields["participant"].flatMap(Participant.init) }

  /// What the agent asks this client to do.
  public var toolCall: ToolCall? { kind == .toolCall ? ToolCall(fields) : nil }

  /// The answer stands, but tools or delegated work are outstanding.
  public var pendingWork: Bool { fields["pending_work"]?.boolValue ?? false }
}
