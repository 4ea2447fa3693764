import CallTransport
import Networking
package import SessionsModel
import Synchronization

/// A voice session without its mirrors on the main actor: the actors below ``VoiceSession``, and the
/// state that their snapshots show.
///
/// For simulations, whose every step has to run on the injected executor.
package final class UnmirroredVoice: Sendable {
  fileprivate struct Shown {
    var session: SessionSnapshot?
    var call: CallSnapshot?
    var lastReported = AIVoiceAgentState.connecting
  }

  package let sessionID: String
  private let client: AgentsClient
  private let session: SessionConnection
  private let call: CallConnection
  private let ownsSession: Bool
  private let shown = Mutex(Shown())

  private init(
    _ record: Session, client: AgentsClient, tools: [AgentTool], ownsSession: Bool,
    wakeWord: WakeWord? = nil
  ) {
    sessionID = record.id
    self.client = client
    self.ownsSession = ownsSession
    session = SessionConnection(session: record, client: client, tools: tools)
    call = CallConnection(
      session: session, environment: client.environment, record: record,
      user: client.credentials.identity.user, deviceID: client.deviceID, isMuted: false,
      wakeWord: wakeWord)
  }

  /// As `VoiceSession.start`.
  package static func start(
    agents: VisionAgents, agent: String? = nil, tools: [AgentTool] = [],
    wakeWord: WakeWord? = nil
  ) async throws -> UnmirroredVoice {
    var options = SessionOptions(agent: agent)
    options.startVoice = true
    options.tools = tools
    let body = try await agents.client.rest.send(
      .post, SessionPaths.sessions, body: options.request(agent: nil).json, as: SessionBody.self)
    return UnmirroredVoice(
      Session(body), client: agents.client, tools: tools, ownsSession: true,
      wakeWord: wakeWord)
  }

  /// As `VoiceSession.attach`; a session in writing can be watched.
  package static func attach(
    agents: VisionAgents, sessionID: String
  ) async throws -> UnmirroredVoice {
    let record = try await agents.sessions.get(sessionID)
    return UnmirroredVoice(record, client: agents.client, tools: [], ownsSession: false)
  }

  /// Calls `report` with every state that a person would see, at once with the first.
  ///
  /// What changes at one instant is one change, as it is to a view that is drawn once a frame.
  package func follow(_ report: @escaping @Sendable (AIVoiceAgentState) -> Void) {
    let runtime = client.environment.runtime
    report(.connecting)
    let (ofSession, ofCall) = (session.snapshots, call.snapshots)
    runtime.task {
      for await snapshot in ofSession {
        self.show(report) { $0.session = snapshot }
      }
    }
    runtime.task {
      for await snapshot in ofCall {
        self.show(report) { $0.call = snapshot }
      }
    }
  }

  private func show(
    _ report: @escaping @Sendable (AIVoiceAgentState) -> Void, _ change: (inout Shown) -> Void
  ) {
    shown.withLock { change(&$0) }
    // Comes after everything that is ready now.
    client.environment.runtime.after(.zero) {
      let state = self.shown.withLock { shown -> AIVoiceAgentState? in
        guard shown.state != shown.lastReported else { return nil }
        shown.lastReported = shown.state
        return shown.state
      }
      if let state { report(state) }
    }
  }

  /// Opens the session's socket.
  package func watch() async {
    _ = await session.start()
  }

  /// Everything the conversation does, from now on.
  package func events() -> AsyncStream<AgentEvent> {
    session.subscribers.makeStream()
  }

  /// As `VoiceSession.join`.
  ///
  /// - Throws: why this device is not on the call.
  package func join() async throws {
    let opened = await session.start()
    if let failure = opened.failure, !opened.isConnected { throw failure }
    if let failure = await call.join().failure { throw failure }
  }

  /// Whether nothing of the microphone goes out until the wake word is said.
  package var isAsleep: Bool { shown.withLock { $0.call?.isAsleep ?? false } }

  package func setMuted(_ isMuted: Bool) async {
    await call.setMuted(isMuted)
  }

  /// Sends a command of the events socket.
  package func send(_ frame: Frame) async throws {
    try await session.send(frame)
  }

  /// As `VoiceSession.leave`.
  package func leave() async throws {
    _ = await call.leave()
    if ownsSession { try await close() }
  }

  /// As `VoiceSession.end`.
  package func end() async throws {
    _ = await call.leave()
    try await close()
  }

  /// The recorded turns, oldest first.
  package func turns() async throws -> [Response] {
    try await Responses(client: client, sessionID: sessionID).list(limit: 200).items
  }

  private func close() async throws {
    _ = try await client.rest.send(
      .post, SessionPaths.session(sessionID, "stop"), mayRepeat: true)
    _ = await session.finishAfterFarewell()
  }
}

extension UnmirroredVoice.Shown {
  fileprivate var state: AIVoiceAgentState {
    AIVoiceAgentState.of(
      phase: call?.phase ?? .idle,
      remoteSpeaks: call?.roster.remote.contains(where: \.isSpeaking) ?? false,
      localSpeaks: call?.roster.local?.isSpeaking ?? false,
      session: AgentSession.State(session?.state ?? .idle))
  }
}
