public import Foundation
public import SessionsModel

/// One turn of a conversation: a question and its answer.
public struct Response: Sendable, Identifiable, Hashable {
  public typealias Status = AgentResponse.Status

  /// Also the `turnID` of every event of the turn.
  public let id: String
  public let sessionID: String
  /// The id the request was made with.
  public let requestID: String?
  public internal(set) var status: Status
  /// What the user said or wrote.
  public internal(set) var said: String
  public let createdAt: Date
  public internal(set) var finishedAt: Date?
  public internal(set) var error: String?

  init(_ body: AgentResponse) {
    id = body.id
    sessionID = body.sessionID
    requestID = body.requestID
    status = body.status
    said = body.said ?? ""
    createdAt = body.createdAt
    finishedAt = body.finishedAt
    error = body.error
  }
}
