public import SessionsModel

/// How a session is continued as a new one; what is named overrides the parent's.
public struct ForkOptions: Sendable {
  /// The response the carried history ends with; the whole history when nil.
  public var responseID: String?
  public var agent: String?
  public var title: String?
  public var description: String?
  public var projectID: String?
  public var custom: [String: JSONValue]?
  public var modelOverwrites: ModelOverwrites?
  public var incognito: Bool?
  /// Start the same configuration over with no history.
  public var withoutHistory = false

  public init(responseID: String? = nil) {
    self.responseID = responseID
  }

  var request: ForkSessionRequest {
    var request = ForkSessionRequest()
    request.agent = agent
    request.title = title
    request.description = description
    request.projectID = projectID
    request.custom = custom
    request.modelOverwrites = modelOverwrites
    request.incognito = incognito
    request.messages = withoutHistory ? false : nil
    request.responseID = responseID
    return request
  }
}
