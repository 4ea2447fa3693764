public import Foundation
public import SessionsModel

/// Everything that is kept about a session, live or ended.
///
/// The session's actor holds the only copy that changes while the session is live and writes it
/// back whole. Times are kept in milliseconds.
public struct SessionRecord: Sendable, Hashable {
  /// The API key of the app it belongs to.
  public var app: String
  public var id: String
  public var owner: SessionOwner
  public var agent: String
  public var agentID: String
  public var configID: String?
  public var state: SessionState
  public var modality: Modality
  /// Whether the agent is on the session's call.
  public var isVoiceOn = false
  public var createdAt: Date
  /// Latest of create, answer, update and end.
  public var updatedAt: Date
  public var lastResponseAt: Date?
  public var closedAt: Date?
  public var labels = SessionLabels()
  public var settings = SessionSettings()
  public var incognito = false
  public var forkedFrom: String?
  /// cid of the transcript channel; nil when the session has none.
  public var conversationID: String?
  public var usage = SessionUsage()
  public var reviewScore: Int?
  public var reviewNotes: String?
  /// Answers so far, which decide when the session is named (R39).
  public var answers = 0
  /// An answer was given after which the session has not been named yet.
  public var isNamingDue = false
  /// It ended, and was not looked back on yet: a router that stops before it has is to do so at its
  /// next start.
  public var isLookBackDue = false
  /// Turns of the user that the last review knew.
  public var reviewedTurns = 0

  public init(
    app: String, id: String, owner: SessionOwner, agent: String, agentID: String,
    modality: Modality = .text, createdAt: Date
  ) {
    self.app = app
    self.id = id
    self.owner = owner
    self.agent = agent
    self.agentID = agentID
    state = .live
    self.modality = modality
    self.createdAt = createdAt
    updatedAt = createdAt
  }
}

/// What a person finds a session by.
public struct SessionLabels: Sendable, Hashable {
  public var title: String?
  public var description: String?
  public var projectID: String?
  public var custom: [String: JSONValue] = [:]
  /// Cost tags, the agent's own already merged in.
  public var tags: [String: String] = [:]
  /// Set by an update: the router no longer renames the session (R43).
  public var isTitleFrozen = false
  public var isDescriptionFrozen = false

  public init() {}
}

/// How a session's agent speaks and thinks, where it differs from its configuration.
public struct SessionSettings: Sendable, Hashable {
  public var models = ModelOverwrites()
  public var instructions: String?
  public var greeting: String?
  public var voice: String?
  public var tools: [SessionTool] = []
  /// 0 means the default of 30 s.
  public var toolTimeoutMilliseconds = 0
  /// Fields of the public interface that are only kept.
  public var further: [String: JSONValue] = [:]

  public init() {}
}
