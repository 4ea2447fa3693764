public import Foundation
public import SessionsModel

/// One turn of a conversation: what was said and what was answered.
public struct TurnRecord: Sendable, Hashable {
  /// How the turn came about.
  public enum Origin: String, Sendable {
    case typed, spoken
    /// Words of the agent that no model made: `say` and greetings.
    case say
  }

  public var sessionID: String
  public var id: String
  public var requestID: String
  public var origin: Origin
  public var status: AgentResponse.Status
  /// What the user said or wrote; empty for `say`.
  public var said: String
  /// What the agent answered; on a call what was really heard of it.
  public var answer: String
  public var isInterrupted = false
  /// Set by a rewind: the turn is out of the list and of the history.
  public var isRewound = false
  public var createdAt: Date
  public var finishedAt: Date?
  public var error: String?

  public init(
    sessionID: String, id: String, requestID: String, origin: Origin, said: String, createdAt: Date
  ) {
    self.sessionID = sessionID
    self.id = id
    self.requestID = requestID
    self.origin = origin
    status = .running
    self.said = said
    answer = ""
    self.createdAt = createdAt
  }

  /// The turn as the wire shows it.
  public var response: AgentResponse {
    var response = AgentResponse(
      id: id, sessionID: sessionID, status: status, createdAt: createdAt)
    response.requestID = requestID
    response.said = said
    response.finishedAt = finishedAt
    response.error = error
    return response
  }
}
