public import Networking
public import SessionsModel
public import Stores

/// The agent's side of one live session: what the directory and the sockets need of it.
///
/// `LiveSession` is the real one; tests put a scripted one in its place.
public protocol SessionHolder: Sendable {
  /// The session as it is now; the only copy that changes while it is live.
  var record: SessionRecord { get async }
  var state: ConversationState { get async }

  /// Adds a watcher: it gets the snapshot (`v=2`), what it missed, then everything that happens.
  func attach(_ watcher: EventWatcher, resumingAfter: UInt64?, stream: String?) async
  /// - Parameter normally: closed on purpose, not dropped.
  func detach(_ watcher: EventWatcher, normally: Bool) async
  /// Carries out a command of the events socket; mistakes are answered with an `error` frame.
  func handle(command: JSONValue, from watcher: EventWatcher) async

  /// Starts a turn and returns once it is stored; the same request again gives the same response.
  func createResponse(_ request: CreateResponseRequest) async throws(APIError) -> AgentResponse
  /// The turn that a request started, as it is now; nil when there is none.
  func turn(requestID: String) async throws(APIError) -> TurnRecord?
  func say(_ text: String, interrupt: Bool) async throws(APIError)
  func interrupt(requestID: String?) async throws(APIError)
  func update(_ request: UpdateSessionRequest) async throws(APIError) -> SessionRecord
  func startVoice() async throws(APIError) -> SessionRecord
  func stopVoice() async throws(APIError) -> SessionRecord

  /// Takes a one-time token of `call.joined`.
  ///
  /// - Returns: the participant it was given to; nil when it is unknown or used.
  func redeemMediaToken(_ token: String) async -> String?
  /// Carries a participant's media until the socket closes.
  func serveMedia(_ socket: any WebSocketConnection, participant: String) async

  /// Tells watchers of a transcript message that a client wrote.
  func announce(_ message: TranscriptMessage) async

  /// Waits until everything that happened so far is stored.
  func flush() async throws(APIError)

  /// Abandons the reply in progress and forgets everything after a response.
  func rewind(to responseID: String) async throws(APIError)

  /// Ends the session: cancels what runs, emits `left`, closes its watchers and sockets, stores
  /// the record as ended. Does nothing the second time.
  func end(reason: String) async
}

/// Makes the holder of a session that is opened or reopened.
///
/// The turns are the history to go on from, oldest first.
public typealias SessionHolderFactory =
  @Sendable (SessionRecord, AgentConfiguration, [RecordedTurn], RouterEnvironment)
  -> any SessionHolder
