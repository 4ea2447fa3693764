public import SessionsModel

/// Keeps sessions, their turns and their transcripts.
///
/// Contract of every implementation:
/// - What ``commit(_:)`` returned from is durable; a group of changes happens wholly or not at all.
/// - A read sees every commit that returned before it began.
/// - No method blocks the calling executor; each may be called from any.
/// - Nothing depends on one process: identifiers and order come from the caller or from the store's
///   own sequence, so that a database shared by several routers can stand behind it.
public protocol SessionStore: Sendable {
  /// Applies changes in order, in one transaction.
  ///
  /// - Throws: ``StoreError/sessionExists(_:)`` or ``StoreError/requestExists(_:)`` when a change
  ///   would break uniqueness; ``StoreError/sessionMissing(_:)`` when one writes to a session that
  ///   was deleted.
  func commit(_ changes: [StoreChange]) async throws(StoreError)

  /// A session, live or ended; nil when the app has none of that id.
  func session(_ id: String, app: String) async throws(StoreError) -> SessionRecord?

  /// Sessions in the order of ``SessionSelection/Position``, at most `limit`.
  ///
  /// A text search has to find the best of all hits up to ``SessionSelection/searchedHits``; of more
  /// hits it may leave out all but that many of the newest sessions.
  func sessions(_ selection: SessionSelection) async throws(StoreError) -> [SessionRecord]

  /// Sessions of every app that are still marked live: those a router held when it stopped.
  func liveSessions() async throws(StoreError) -> [SessionRecord]

  /// Ended sessions that are still to be looked back on, the newest last, of every app.
  ///
  /// - Parameter limit: only the sessions last active of each app are looked through, so many.
  func sessionsToLookBackOn(limit: Int) async throws(StoreError) -> [SessionRecord]

  /// Turns that are not rewound, oldest first.
  ///
  /// - Parameter page: where to start and how many.
  func turns(of session: SessionKey, _ page: StorePage) async throws(StoreError)
    -> [Positioned<TurnRecord>]

  /// The turn a request started, rewound or not.
  func turn(of session: SessionKey, requestID: String) async throws(StoreError) -> TurnRecord?

  /// Items of turns that are not rewound, oldest first.
  func items(of session: SessionKey, responseID: String?, _ page: StorePage)
    async throws(StoreError) -> [Positioned<AgentResponseItem>]

  /// Messages of the transcript, oldest first.
  func messages(of session: SessionKey, _ page: StorePage) async throws(StoreError)
    -> [Positioned<TranscriptMessage>]

  /// Sums of costs, the dearest first.
  func usage(_ selection: UsageSelection) async throws(StoreError) -> [UsageTotal]

  /// What a session taught, in the order it was written.
  func memories(of session: SessionKey) async throws(StoreError) -> [MemoryRecord]

  /// What the sessions of an owner with an agent taught, the newest first.
  func memories(
    of owner: SessionOwner, agent: String, app: String, limit: Int
  ) async throws(StoreError) -> [MemoryRecord]

  /// Finishes what was begun and lets go of files. Nothing may be called afterwards.
  func close() async
}

/// A session's place: ids are unique per app only.
public struct SessionKey: Sendable, Hashable {
  public var app: String
  public var id: String

  public init(app: String, id: String) {
    self.app = app
    self.id = id
  }
}

extension SessionRecord {
  public var key: SessionKey { SessionKey(app: app, id: id) }
}

/// A part of a list in the store's own order.
public struct StorePage: Sendable, Hashable {
  /// Only what stands behind this position; 0 starts at the beginning.
  public var after: Int
  public var limit: Int

  public init(after: Int = 0, limit: Int) {
    self.after = after
    self.limit = limit
  }

  /// The whole list.
  public static let all = StorePage(limit: .max)
}

/// Something with its place in the store's order.
public struct Positioned<Value: Sendable>: Sendable {
  public var position: Int
  public var value: Value

  public init(position: Int, value: Value) {
    self.position = position
    self.value = value
  }
}
