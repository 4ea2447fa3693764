public import Foundation
public import SessionsModel

/// Which sessions to list; every condition has to match.
public struct SessionQuery: Sendable {
  /// Sessions of a page, 1 to 200; 25 when nil.
  public var limit: Int?
  /// `nextCursor` of the page before, with the same conditions and sort.
  public var cursor: String?
  public var projectID: String?
  public var agentID: String?
  public var configID: String?
  /// For backends; a device always sees its own user's sessions.
  public var userID: String?
  /// A search in title, description, project and agent name.
  public var text: String?
  public var state: SessionState?
  public var modality: Modality?
  /// Sessions with all of these labels.
  public var custom: [String: String]?
  public var createdSince: Date?
  public var createdBefore: Date?
  public var sort: Sort?

  public init(limit: Int? = nil) {
    self.limit = limit
  }

  /// - Parameter agent: the agent whose collection is asked; nil asks all.
  func request(agent: String?) -> SessionQueryRequest {
    var request = SessionQueryRequest()
    request.filter.agent = agent
    request.filter.agentID = agentID
    request.filter.configID = configID
    request.filter.userID = userID
    request.filter.projectID = projectID
    request.filter.modality = modality
    request.filter.state = state
    request.filter.createdSince = createdSince
    request.filter.createdBefore = createdBefore
    request.filter.custom = custom
    request.filter.text = text
    request.sort = sort
    request.limit = limit
    request.cursor = cursor
    return request
  }
}
