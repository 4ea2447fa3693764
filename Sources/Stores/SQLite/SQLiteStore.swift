public import SessionsModel

/// Sessions in one SQLite file (WAL), written by a thread of its own.
///
/// What ``commit(_:)`` returned from was synced to the disk. Several commits that wait together
/// share one sync.
public final class SQLiteStore: SessionStore {
  private let thread: StoreThread

  private init(thread: StoreThread) {
    self.thread = thread
  }

  /// Opens a file, makes it when it is not there, and brings it to the newest version.
  ///
  /// - Throws: ``StoreError/failed(_:)`` naming the file and what is wrong with it.
  public static func open(path: String) async throws(StoreError) -> SQLiteStore {
    let thread = StoreThread()
    let result = await withCheckedContinuation { continuation in
      thread.start(path: path) { continuation.resume(returning: $0) }
    }
    if case .failure(let error) = result {
      throw .failed("\(path) cannot be used as session store: \(error)")
    }
    return SQLiteStore(thread: thread)
  }

  public func commit(_ changes: [StoreChange]) async throws(StoreError) {
    let result = await withCheckedContinuation { continuation in
      let refusal = thread.submit(.write(changes) { continuation.resume(returning: $0) })
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    try result.get()
  }

  public func session(_ id: String, app: String) async throws(StoreError) -> SessionRecord? {
    try await read { reads throws(StoreError) in try reads.session(id, app: app) }
  }

  public func sessions(
    _ selection: SessionSelection
  ) async throws(StoreError) -> [SessionRecord] {
    try await read { reads throws(StoreError) in try reads.sessions(selection) }
  }

  public func liveSessions() async throws(StoreError) -> [SessionRecord] {
    try await read { reads throws(StoreError) in try reads.liveSessions() }
  }

  public func sessionsToLookBackOn(limit: Int) async throws(StoreError) -> [SessionRecord] {
    try await read { reads throws(StoreError) in try reads.sessionsToLookBackOn(limit: limit) }
  }

  public func turns(
    of session: SessionKey, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<TurnRecord>] {
    try await read { reads throws(StoreError) in try reads.turns(of: session, page) }
  }

  public func turn(
    of session: SessionKey, requestID: String
  ) async throws(StoreError) -> TurnRecord? {
    try await read { reads throws(StoreError) in
      try reads.turn(of: session, requestID: requestID)
    }
  }

  public func items(
    of session: SessionKey, responseID: String?, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<AgentResponseItem>] {
    try await read { reads throws(StoreError) in
      try reads.items(of: session, responseID: responseID, page)
    }
  }

  public func messages(
    of session: SessionKey, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<TranscriptMessage>] {
    try await read { reads throws(StoreError) in try reads.messages(of: session, page) }
  }

  public func usage(_ selection: UsageSelection) async throws(StoreError) -> [UsageTotal] {
    try await read { reads throws(StoreError) in try reads.usage(selection) }
  }

  public func memories(of session: SessionKey) async throws(StoreError) -> [MemoryRecord] {
    try await read { reads throws(StoreError) in try reads.memories(of: session) }
  }

  public func memories(
    of owner: SessionOwner, agent: String, app: String, limit: Int
  ) async throws(StoreError) -> [MemoryRecord] {
    try await read { reads throws(StoreError) in
      try reads.memories(of: owner, agent: agent, app: app, limit: limit)
    }
  }

  public func close() async {
    await withCheckedContinuation { continuation in
      thread.close { continuation.resume() }
    }
  }

  private func read<Answer: Sendable>(
    _ question: @escaping @Sendable (SQLiteReads) throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    let result: Result<Answer, StoreError> = await withCheckedContinuation { continuation in
      let refusal = thread.submit(
        .read { reads in
          continuation.resume(
            returning: Result { () throws(StoreError) in try question(reads) })
        })
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    return try result.get()
  }
}
