import Foundation
import Networking
public import SessionsModel
public import Stores

/// Every live session of the router, and the way to each: open, reopen, end, delete.
public actor SessionDirectory {
  struct Entry {
    var holder: any SessionHolder
    var owner: SessionOwner
    var lifetime = SessionLifetime()
    /// Ids of who watches this life of the session; a socket of an earlier one has no say in it.
    var watchers: Set<String> = []
    var timer: ScheduledAction?
    /// Set while the session is being ended; whoever needs its outcome waits for it.
    var ending: Task<Void, Never>?
  }

  let environment: RouterEnvironment
  let makeHolder: SessionHolderFactory
  var entries: [SessionKey: Entry] = [:]
  /// Sessions that are being made or reopened; a second caller waits for the first.
  private var opening: [SessionKey: Task<Result<any SessionHolder, APIError>, Never>] = [:]
  private var creating: Set<SessionKey> = []
  var turnstile = SessionTurnstile()
  var arrivals = SessionArrivals()
  var lookBacks = LookBackQueue()
  /// The router ends: nothing new is begun.
  var isClosing = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.runtime.executor.asUnownedSerialExecutor()
  }

  public init(environment: RouterEnvironment, makeHolder: @escaping SessionHolderFactory) {
    self.environment = environment
    self.makeHolder = makeHolder
  }

  /// Sessions that are live now.
  public var count: Int { entries.count }

  /// The live holders of sessions with an id, of whichever app.
  func holders(ofID id: String) -> [any SessionHolder] {
    entries.filter { $0.key.id == id }.map(\.value.holder)
  }

  /// Whose a live session is; nil when it is not live.
  func owner(of key: SessionKey) -> SessionOwner? {
    entries[key]?.owner
  }

  // MARK: Finding

  /// A session as it is now, live or ended.
  ///
  /// - Throws: `session_not_found`, also when it is somebody else's.
  public func record(_ id: String, for caller: Caller) async throws(APIError) -> SessionRecord {
    let key = SessionKey(app: caller.app, id: id)
    await ended(key)
    if let holder = entries[key]?.holder {
      let record = await holder.record
      guard caller.canReach(record) else { throw .sessionNotFound(id) }
      return record
    }
    return try await storedRecord(key, for: caller)
  }

  /// The holder of a session if it is live, nil if it has ended.
  public func holder(
    _ id: String, for caller: Caller
  ) async throws(APIError) -> (any SessionHolder)? {
    _ = try await record(id, for: caller)
    let entry = entries[SessionKey(app: caller.app, id: id)]
    return entry?.ending == nil ? entry?.holder : nil
  }

  /// Waits for every session that is being ended, so that a query shows none of them live.
  func settle() async {
    for task in entries.values.compactMap(\.ending) { await task.value }
  }

  func storedRecord(
    _ key: SessionKey, for caller: Caller
  ) async throws(APIError) -> SessionRecord {
    let stored: SessionRecord?
    do throws(StoreError) {
      stored = try await environment.store.session(key.id, app: key.app)
    } catch {
      throw APIError(error)
    }
    guard let stored, caller.canReach(stored) else { throw .sessionNotFound(key.id) }
    return stored
  }

  // MARK: Opening

  /// Waits until nobody else changes a session that is not live; see ``SessionTurnstile``.
  func pass(_ key: SessionKey) async throws(APIError) {
    guard let ticket = turnstile.arrive(at: key) else {
      throw APIError(
        .dependency, "Too many requests change the session \(key.id); try again in a second.",
        retryAfterSeconds: 1)
    }
    guard ticket.mustWait else { return }
    await withCheckedContinuation { turnstile.wait(at: key, $0) }
  }

  /// Changes the record of a session that has ended.
  ///
  /// - Returns: nil when the session is live: its holder has the only copy then.
  func changeEnded(
    _ key: SessionKey, _ change: (inout SessionRecord) -> [StoreChange]
  ) async throws(APIError) -> SessionRecord? {
    try await pass(key)
    defer { turnstile.leave(key) }
    await ended(key)
    guard entries[key] == nil else { return nil }
    do throws(StoreError) {
      guard var record = try await environment.store.session(key.id, app: key.app) else {
        throw .sessionMissing(key.id)
      }
      let further = change(&record)
      try await environment.store.commit([.save(record)] + further)
      return record
    } catch {
      throw APIError(error)
    }
  }

  // MARK: Making

  /// Opens a new session; with `start_voice` the agent is on the call when this returns.
  public func create(
    _ request: CreateSessionRequest, by caller: Caller
  ) async throws(APIError) -> SessionRecord {
    let agent = try agent(of: request)
    try environment.checkModels(request.modelOverwrites ?? ModelOverwrites())
    let runtime = environment.runtime
    let key = SessionKey(app: caller.app, id: request.id ?? runtime.makeID())
    guard entries[key] == nil, creating.insert(key).inserted else {
      throw APIError(StoreError.sessionExists(key.id))
    }
    defer { creating.remove(key) }
    try checkRoom()
    let record = SessionRecord(
      request, id: key.id, by: caller, agent: agent, at: runtime.timestamp)
    try await store(record)
    let holder = makeHolder(record, agent, [], environment)
    enter(holder, record)
    guard request.startVoice == true else { return record }
    do throws(APIError) {
      return try await holder.startVoice()
    } catch {
      await end(key, reason: "voice could not start")
      try await remove(key)
      throw error
    }
  }

  func checkRoom() throws(APIError) {
    guard entries.count < environment.configuration.limits.liveSessions else {
      throw APIError(
        .dependency, "\(entries.count) sessions are live, which is this router's limit.",
        retryAfterSeconds: 10)
    }
  }

  func store(_ record: SessionRecord) async throws(APIError) {
    do throws(StoreError) {
      if !record.incognito {
        try await environment.store.commit([.create(record)])
      } else if try await environment.store.session(record.id, app: record.app) != nil {
        throw .sessionExists(record.id)
      }
    } catch {
      throw APIError(error)
    }
  }

  func agent(of request: CreateSessionRequest) throws(APIError) -> AgentConfiguration {
    let configuration = environment.configuration
    if let id = request.configID {
      guard let agent = configuration.agent(configID: id) ?? configuration.agent(named: id) else {
        throw APIError(.agentNotFound, "There is no agent with the config_id \(id).")
      }
      return agent
    }
    let name = request.agent ?? configuration.defaultAgent
    guard let agent = configuration.agent(named: name) else {
      throw APIError(.agentNotFound, "There is no agent \(name) on this router.")
    }
    return agent
  }

  /// The holder of a session; one that has ended is reopened in writing.
  public func open(_ id: String, for caller: Caller) async throws(APIError) -> any SessionHolder {
    if let holder = try await holder(id, for: caller) { return holder }
    let key = SessionKey(app: caller.app, id: id)
    if let task = opening[key] { return try await task.value.get() }
    let task = environment.runtime.task { await self.reopen(key, for: caller) }
    opening[key] = task
    let result = await task.value
    opening[key] = nil
    return try result.get()
  }

  private func reopen(
    _ key: SessionKey, for caller: Caller
  ) async -> Result<any SessionHolder, APIError> {
    do throws(APIError) {
      try await pass(key)
      defer { turnstile.leave(key) }
      await ended(key)
      // Somebody may have been quicker, or the session deleted, while this one waited.
      if let entry = entries[key] {
        guard caller.canReach(key.app, entry.owner) else { throw .sessionNotFound(key.id) }
        return .success(entry.holder)
      }
      var record = try await storedRecord(key, for: caller)
      try checkRoom()
      guard let agent = environment.configuration.agent(named: record.agent) else {
        throw APIError(
          .agentNotFound, "The agent \(record.agent) of this session is no longer configured.")
      }
      record.state = .live
      record.closedAt = nil
      record.isVoiceOn = false
      cancelLookBack(key)
      let turns: [RecordedTurn]
      do throws(StoreError) {
        turns = RecordedTurn.joined(
          try await environment.store.turns(of: key, .all).map(\.value),
          try await environment.store.items(of: key, responseID: nil, .all).map(\.value))
        try await environment.store.commit([.save(record)])
      } catch {
        throw APIError(error)
      }
      let holder = makeHolder(record, agent, turns, environment)
      enter(holder, record)
      return .success(holder)
    } catch {
      return .failure(error)
    }
  }

  func enter(_ holder: any SessionHolder, _ record: SessionRecord) {
    var entry = Entry(holder: holder, owner: record.owner)
    let action = entry.lifetime.opened()
    entries[record.key] = entry
    carryOut(action, record.key)
  }

  // MARK: Ending

  /// Ends a live session and waits until that is stored; does nothing to an ended one.
  public func end(_ key: SessionKey, reason: String) async {
    guard let entry = entries[key] else { return }
    if entry.ending == nil {
      entry.timer?.cancel()
      entries[key]?.ending = environment.runtime.task {
        await entry.holder.end(reason: reason)
        let record = await entry.holder.record
        await self.forget(key)
        await self.lookBackLater(on: record)
      }
    }
    await ended(key)
  }

  /// Ends a caller's session (`stop`); an ended one stays as it is (R49).
  public func stop(_ id: String, for caller: Caller) async throws(APIError) {
    let record = try await record(id, for: caller)
    await arrived(at: record.key)
    await end(record.key, reason: "stopped")
  }

  /// Ends a caller's session and removes everything that was kept of it.
  public func delete(_ id: String, for caller: Caller) async throws(APIError) {
    let record = try await record(id, for: caller)
    try await pass(record.key)
    defer { turnstile.leave(record.key) }
    await end(record.key, reason: "deleted")
    cancelLookBack(record.key)
    try await remove(record.key)
  }

  /// Ends every session, for the router's own end.
  public func endAll(reason: String) async {
    isClosing = true
    cancelLookBacks()
    for key in entries.keys { await end(key, reason: reason) }
  }

  func remove(_ key: SessionKey) async throws(APIError) {
    do throws(StoreError) {
      try await environment.store.commit([.delete(key)])
    } catch {
      throw APIError(error)
    }
  }

  private func forget(_ key: SessionKey) {
    entries[key]?.timer?.cancel()
    entries[key] = nil
  }

  func ended(_ key: SessionKey) async {
    if let task = entries[key]?.ending { await task.value }
  }
}
