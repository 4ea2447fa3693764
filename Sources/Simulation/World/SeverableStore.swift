import SessionsModel
import Stores
import Synchronization

/// The store as one router holds it. A router that was killed writes and reads nothing any more,
/// whatever of it still runs in this process.
final class SeverableStore: SessionStore {
  private let store: MemoryStore
  private let isSevered = Mutex(false)

  init(_ store: MemoryStore) {
    self.store = store
  }

  func sever() { isSevered.withLock { $0 = true } }

  private func check() throws(StoreError) {
    guard isSevered.withLock({ $0 }) else { return }
    throw .failed("this router was killed")
  }

  func commit(_ changes: [StoreChange]) async throws(StoreError) {
    try check()
    try await store.commit(changes)
  }

  func session(_ id: String, app: String) async throws(StoreError) -> SessionRecord? {
    try check()
    return await store.session(id, app: app)
  }

  func sessions(_ selection: SessionSelection) async throws(StoreError) -> [SessionRecord] {
    try check()
    return await store.sessions(selection)
  }

  func liveSessions() async throws(StoreError) -> [SessionRecord] {
    try check()
    return await store.liveSessions()
  }

  func sessionsToLookBackOn(limit: Int) async throws(StoreError) -> [SessionRecord] {
    try check()
    return await store.sessionsToLookBackOn(limit: limit)
  }

  func turns(
    of session: SessionKey, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<TurnRecord>] {
    try check()
    return await store.turns(of: session, page)
  }

  func turn(
    of session: SessionKey, requestID: String
  ) async throws(StoreError) -> TurnRecord? {
    try check()
    return await store.turn(of: session, requestID: requestID)
  }

  func items(
    of session: SessionKey, responseID: String?, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<AgentResponseItem>] {
    try check()
    return await store.items(of: session, responseID: responseID, page)
  }

  func messages(
    of session: SessionKey, _ page: StorePage
  ) async throws(StoreError) -> [Positioned<TranscriptMessage>] {
    try check()
    return await store.messages(of: session, page)
  }

  func usage(_ selection: UsageSelection) async throws(StoreError) -> [UsageTotal] {
    try check()
    return await store.usage(selection)
  }

  func memories(of session: SessionKey) async throws(StoreError) -> [MemoryRecord] {
    try check()
    return await store.memories(of: session)
  }

  func memories(
    of owner: SessionOwner, agent: String, app: String, limit: Int
  ) async throws(StoreError) -> [MemoryRecord] {
    try check()
    return await store.memories(of: owner, agent: agent, app: app, limit: limit)
  }

  func close() async {}
}
