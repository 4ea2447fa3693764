public import Foundation
public import SessionsModel

/// A session as the router recorded it, running or ended.
public struct Session: Sendable, Identifiable {
  public let id: String
  /// The agent's name; empty when the session was opened by `configID`.
  public let agent: String
  public let agentID: String
  public let configID: String
  public let userID: String
  public internal(set) var title: String
  public internal(set) var description: String
  public let projectID: String
  /// The call the agent is on; empty in writing.
  public let callID: String
  public let callType: String
  /// The transcript's channel; empty when there is none.
  public let conversationID: String
  public let custom: [String: JSONValue]
  public let state: SessionState
  public let modality: Modality
  public let incognito: Bool
  /// The session this one continues.
  public let forkedFrom: String?
  public let llm: String?
  public let stt: String?
  public let tts: String?
  public let sts: String?
  public let voice: String?
  public let createdAt: Date
  public let lastResponseAt: Date?
  public let closedAt: Date?
  /// 1 to 5; told to backends only, some seconds after the end.
  public let reviewScore: Int?
  /// Told to backends only.
  public let reviewNotes: String?
  /// Told to backends only, once the session has ended.
  public let usage: Usage?

  init(_ body: SessionBody) {
    id = body.id
    agent = body.agent ?? ""
    agentID = body.agentID
    configID = body.configID ?? ""
    userID = body.userID
    title = body.title ?? ""
    description = body.description ?? ""
    projectID = body.projectID ?? ""
    callID = body.callID
    callType = body.callType
    conversationID = body.conversationID ?? ""
    custom = body.custom ?? [:]
    state = body.state
    modality = body.modality
    incognito = body.incognito ?? false
    forkedFrom = body.forkedFrom
    llm = body.llm
    stt = body.stt
    tts = body.tts
    sts = body.sts
    voice = body.voice
    createdAt = body.createdAt
    lastResponseAt = body.lastResponseAt
    closedAt = body.closedAt
    reviewScore = body.reviewScore
    reviewNotes = body.reviewNotes
    usage = body.usage
  }
}
