/// What came of a request that a client gave an id of its own (`command_id`).
public struct AgentCommand: Sendable, Hashable {
  public var commandID: String
  /// Of the messages in the transcript channel.
  public var userMessageID: String
  public var assistantMessageID: String
  /// The turn it started.
  public var responseID: String
  public var state: AgentResponse.Status
  /// The same command came before, and started nothing this time.
  public var duplicate = false

  public init(_ response: AgentResponse, duplicate: Bool = false) {
    commandID = response.requestID ?? response.id
    userMessageID = TranscriptMessage.id(of: response.id, .user)
    assistantMessageID = TranscriptMessage.id(of: response.id, .assistant)
    responseID = response.id
    state = response.status
    self.duplicate = duplicate
  }

  public var json: JSONValue {
    [
      "command_id": .string(commandID), "user_message_id": .string(userMessageID),
      "assistant_message_id": .string(assistantMessageID), "response_id": .string(responseID),
      "state": .string(state.rawValue), "duplicate": .bool(duplicate),
    ]
  }
}
