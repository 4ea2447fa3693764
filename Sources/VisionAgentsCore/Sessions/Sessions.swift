import Networking
import SessionsModel

/// The sessions of one agent, or of all.
public struct Sessions: Sendable {
  let client: AgentsClient
  /// The agent's name; nil for all.
  let agent: String?

  /// Opens a conversation.
  ///
  /// - Throws: ``AgentsError``; 404 for an unknown agent, 409 when the id is taken.
  public func create(_ options: SessionOptions = SessionOptions()) async throws -> AgentSession {
    let body = try await client.rest.send(
      .post, SessionPaths.sessions, body: options.request(agent: agent).json,
      as: SessionBody.self)
    return await client.open(Session(body), tools: options.tools)
  }

  /// Reads one session, running or ended.
  public func get(_ id: String) async throws -> Session {
    Session(
      try await client.rest.send(
        .get, SessionPaths.session(id), mayRepeat: true, as: SessionBody.self))
  }

  /// Lists sessions, ended ones too, most recently active first.
  public func query(_ query: SessionQuery = SessionQuery()) async throws -> Page<Session> {
    let page = try await client.rest.send(
      .post, SessionPaths.query, body: query.request(agent: agent).json, mayRepeat: true,
      as: WirePage<SessionBody>.self)
    return Page(page, item: Session.init)
  }

  /// Lists the sessions whose title, description, project or agent matches `text`, best first.
  public func search(
    _ text: String, _ query: SessionQuery = SessionQuery()
  ) async throws -> Page<Session> {
    var query = query
    query.text = text
    return try await self.query(query)
  }

  /// Changes a session known by its id.
  @discardableResult
  public func update(_ id: String, _ changes: SessionChanges) async throws -> Session {
    Session(
      try await client.rest.send(
        .patch, SessionPaths.session(id), body: changes.request.json, mayRepeat: true,
        as: SessionBody.self))
  }

  /// Removes a session with its turns and what it remembered; a running one is stopped first.
  public func delete(_ id: String) async throws {
    _ = try await client.rest.send(.delete, SessionPaths.session(id))
  }

  /// Continues a session as a new one, in writing; the parent is untouched.
  public func fork(
    _ id: String, _ options: ForkOptions = ForkOptions()
  ) async throws -> Session {
    Session(
      try await client.rest.send(
        .post, SessionPaths.session(id, "fork"), body: options.request.json,
        as: SessionBody.self))
  }

  /// The turns of a session known by its id; asking it something reopens an ended one.
  public func responses(_ id: String) -> Responses {
    Responses(client: client, sessionID: id)
  }

  /// Opens a session known by its id as a live one, with everything that was said.
  public func resume(_ id: String, tools: [AgentTool] = []) async throws -> AgentSession {
    await client.open(try await get(id), tools: tools)
  }

  /// Forgets what a session remembered and keeps the session. For backends.
  public func forget(_ id: String) async throws {
    _ = try await client.rest.send(.delete, SessionPaths.session(id, "memories"))
  }
}
