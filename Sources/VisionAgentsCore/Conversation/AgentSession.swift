public import Observation
import SessionsModel

/// One conversation with an agent, live.
///
/// It mirrors on the main actor what the session's connection knows; views that read it redraw as it
/// changes.
@MainActor @Observable
public final class AgentSession {
  /// What the agent is doing.
  public enum State: Sendable, Hashable {
    case idle
    case listening
    case responding
    /// With the skills at work.
    case working([String])
    case ended
  }

  public nonisolated let id: String
  /// The session's record.
  public private(set) var session: Session
  public private(set) var state: State
  /// The session's socket is open.
  public private(set) var isConnected = false
  /// Why there is no socket, or why a call that does not throw failed.
  public private(set) var failure: AgentsError?
  /// The turns so far, oldest first; the newest 1,000.
  public private(set) var turns: [Response] = []

  nonisolated let connection: SessionConnection
  nonisolated let client: AgentsClient
  @ObservationIgnored private var version = -1

  init(_ session: Session, connection: SessionConnection, client: AgentsClient) {
    id = session.id
    self.session = session
    state = session.state == .ended ? .ended : .idle
    self.connection = connection
    self.client = client
    let snapshots = connection.snapshots
    Task { @MainActor [weak self] in
      for await snapshot in snapshots {
        self?.apply(snapshot)
      }
    }
  }

  deinit {
    connection.abandon()
  }

  public var title: String { session.title }

  /// The session's turns: ask something, read what was said.
  public nonisolated var responses: Responses {
    Responses(client: client, sessionID: id)
  }

  /// Everything the conversation does, from this call on, until it ends.
  ///
  /// Every call has a stream of its own. One that leaves 4,096 events unread ends after an `error`
  /// event whose field `code` is `slow_consumer`.
  public nonisolated func events() -> AsyncStream<AgentEvent> {
    connection.subscribers.makeStream()
  }

  /// Opens the session's socket and returns once it is open, or ``failure`` says why not.
  ///
  /// A socket that breaks later comes back by itself. Called twice it does nothing.
  public func start() async {
    apply(await connection.start())
  }

  func apply(_ snapshot: SessionSnapshot) {
    guard snapshot.version > version else { return }
    version = snapshot.version
    session = snapshot.session
    let state = State(snapshot.state)
    if state != self.state { self.state = state }
    if snapshot.isConnected != isConnected { isConnected = snapshot.isConnected }
    failure = snapshot.failure
    if snapshot.turns != turns { turns = snapshot.turns }
  }
}

extension AgentSession.State {
  init(_ state: ConversationState) {
    switch state {
    case .idle: self = .idle
    case .listening: self = .listening
    case .responding: self = .responding
    case .working(let skills): self = .working(skills)
    case .ended: self = .ended
    }
  }
}
