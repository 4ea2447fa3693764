import Networking
public import SessionsModel

// What can be done with a session.
extension AgentSession {
  /// Speaks or writes a text as it is, without the model.
  ///
  /// - Parameter interrupt: stop the reply in progress first; by default the text waits for it.
  public func say(_ text: String, interrupt: Bool = false) async throws {
    var frame = Frame(.say, ["text": .string(text)])
    if interrupt { frame["interrupt"] = true }
    try await connection.send(frame)
  }

  /// Abandons the reply in progress.
  public func interrupt() async throws {
    try await connection.send(Frame(.interrupt))
  }

  /// Abandons only the reply that answers `requestID`; nothing happens when it is over.
  public func interrupt(requestID: String) async throws {
    try await connection.send(Frame(.interrupt, ["request_id": .string(requestID)]))
  }

  /// Answers a tool call that waits for a person's approval.
  public func decide(_ toolCallID: String, allowed: Bool, summary: String = "") async throws {
    var frame = Frame(
      .toolApproval, ["tool_call_id": .string(toolCallID), "allowed": .bool(allowed)])
    if !summary.isEmpty { frame["summary"] = .string(summary) }
    try await connection.send(frame)
  }

  /// Changes the session; what is left out stays as it is.
  @discardableResult
  public func update(
    title: String? = nil, description: String? = nil, custom: [String: JSONValue]? = nil,
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    voice: String? = nil, temperature: Double? = nil, maxOutputTokens: Int? = nil,
    verbosity: Verbosity? = nil, instructions: String? = nil
  ) async throws -> Session {
    try await update(
      SessionChanges(
        title: title, description: description, custom: custom, llm: llm, stt: stt, tts: tts,
        sts: sts, voice: voice, temperature: temperature, maxOutputTokens: maxOutputTokens,
        verbosity: verbosity, instructions: instructions))
  }

  /// The same with a level of thinking, where `.none` is a level.
  @discardableResult
  public func update(
    title: String? = nil, description: String? = nil, custom: [String: JSONValue]? = nil,
    llm: String? = nil, stt: String? = nil, tts: String? = nil, sts: String? = nil,
    voice: String? = nil, thinking: Thinking, temperature: Double? = nil,
    maxOutputTokens: Int? = nil, verbosity: Verbosity? = nil, instructions: String? = nil
  ) async throws -> Session {
    try await update(
      SessionChanges(
        title: title, description: description, custom: custom, llm: llm, stt: stt, tts: tts,
        sts: sts, voice: voice, thinking: thinking, temperature: temperature,
        maxOutputTokens: maxOutputTokens, verbosity: verbosity, instructions: instructions))
  }

  /// Changes the session as `changes` says.
  @discardableResult
  public func update(_ changes: SessionChanges) async throws -> Session {
    let session = try await sessions.update(id, changes)
    apply(await connection.record(session))
    return session
  }

  /// Puts the agent on the session's call; nothing changes when it is there already.
  public func startVoice() async throws {
    try await changeVoice(.post)
  }

  /// Takes the agent off the call once it has finished what it is saying; the conversation goes on in
  /// writing.
  public func stopVoice() async throws {
    try await changeVoice(.delete)
  }

  private func changeVoice(_ method: HTTPRequest.Method) async throws {
    let body = try await client.rest.send(
      method, SessionPaths.session(id, "voice"), mayRepeat: true, as: SessionBody.self)
    apply(await connection.record(Session(body)))
  }

  /// Continues the conversation as a new session, in writing; this one is untouched.
  public func fork(_ options: ForkOptions = ForkOptions()) async throws -> Session {
    try await sessions.fork(id, options)
  }

  /// Ends the conversation and keeps it. Safe when it has already ended.
  ///
  /// It does not throw: what went wrong is in ``failure``.
  public func close() async {
    do {
      _ = try await client.rest.send(.post, SessionPaths.session(id, "stop"), mayRepeat: true)
    } catch {
      apply(await connection.note(error))
    }
    apply(await connection.finishAfterFarewell())
  }

  /// Removes the session, its turns and what it remembered; a running one is stopped first.
  public func delete() async throws {
    try await sessions.delete(id)
    apply(await connection.finishAfterFarewell())
  }

  /// Opens the session's transcript.
  ///
  /// - Throws: 404 `channel_not_found` for a session that keeps none.
  public func chat() async throws -> ChatChannelController {
    try await ChatChannelController.open(self)
  }

  private nonisolated var sessions: Sessions {
    Sessions(client: client, agent: nil)
  }
}
