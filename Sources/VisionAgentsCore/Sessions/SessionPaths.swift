import SessionsModel

/// Paths of the router's interface (contract part 1, 1.3).
enum SessionPaths {
  static let sessions = "/v1/agents/sessions"
  static let query = "/v1/agents/sessions/query"

  /// The path of one session, or of something below it.
  ///
  /// - Throws: when `id` cannot be the id of a session, which would change the path's meaning.
  static func session(_ id: String, _ below: String = "") throws -> String {
    guard Identifier.isValidSessionID(id) else {
      throw AgentsError.configuration(
        "\"\(id)\" cannot be a session's id: 1 to 64 letters, digits, - and _ are allowed.")
    }
    return below.isEmpty ? "\(sessions)/\(id)" : "\(sessions)/\(id)/\(below)"
  }
}
