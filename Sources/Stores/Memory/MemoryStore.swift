public import SessionsModel

/// A store that forgets everything with its process: for simulations and tests.
///
/// It runs on the executor it is given, so that a simulation orders its steps like all others.
public actor MemoryStore: SessionStore {
  private let executor: any SerialExecutor
  private var content = MemoryContent()

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  public init(executor: any SerialExecutor) {
    self.executor = executor
  }

  public func commit(_ changes: [StoreChange]) throws(StoreError) {
    // Working on a copy makes the group happen wholly or not at all.
    var next = content
    for change in changes { try next.apply(change) }
    content = next
  }

  public func session(_ id: String, app: String) -> SessionRecord? {
    content.sessions[SessionKey(app: app, id: id)]?.record
  }

  public func sessions(_ selection: SessionSelection) -> [SessionRecord] {
    content.sessions.values.map(\.record).filter { selection.matches($0) }
      .map { (record: $0, position: selection.position(of: $0)) }
      .filter { selection.isBehind($0.position) }
      .sorted { $1.position < $0.position }
      .prefix(selection.limit).map(\.record)
  }

  public func liveSessions() -> [SessionRecord] {
    content.sessions.values.map(\.record).filter { $0.state == .live }
      .sorted { ($0.app, $0.id) < ($1.app, $1.id) }
  }

  public func sessionsToLookBackOn(limit: Int) -> [SessionRecord] {
    let ended = content.sessions.values.map(\.record).filter { $0.state == .ended }
    var found: [SessionRecord] = []
    for records in Dictionary(grouping: ended, by: \.app).values {
      found += records.sorted { $0.updatedAt > $1.updatedAt }.prefix(limit)
    }
    return found.filter(\.isLookBackDue).sorted { $0.updatedAt < $1.updatedAt }
  }

  public func turns(of session: SessionKey, _ page: StorePage) -> [Positioned<TurnRecord>] {
    Self.take(page, of: content.sessions[session]?.turns ?? []) { !$0.isRewound }
  }

  public func turn(of session: SessionKey, requestID: String) -> TurnRecord? {
    content.sessions[session]?.turns.first { $0.value.requestID == requestID }?.value
  }

  public func items(
    of session: SessionKey, responseID: String?, _ page: StorePage
  ) -> [Positioned<AgentResponseItem>] {
    guard let entry = content.sessions[session] else { return [] }
    let rewound = Set(entry.turns.filter(\.value.isRewound).map(\.value.id))
    return Self.take(page, of: entry.items) { item in
      !rewound.contains(item.responseID) && (responseID == nil || responseID == item.responseID)
    }
  }

  public func messages(
    of session: SessionKey, _ page: StorePage
  ) -> [Positioned<TranscriptMessage>] {
    Self.take(page, of: content.sessions[session]?.messages ?? []) { _ in true }
  }

  public func usage(_ selection: UsageSelection) -> [UsageTotal] {
    content.usage(selection)
  }

  public func memories(of session: SessionKey) -> [MemoryRecord] {
    content.sessions[session]?.memories ?? []
  }

  public func memories(
    of owner: SessionOwner, agent: String, app: String, limit: Int
  ) -> [MemoryRecord] {
    let taught = content.sessions.values.filter {
      $0.record.owner == owner && $0.record.agent == agent && $0.record.app == app
    }
    // Facts of one moment stay in their order, as in a database.
    return taught.flatMap { entry in entry.memories.enumerated().map { ($0, $1) } }
      .sorted { ($1.1.createdAt, $1.1.sessionID, $1.0) < ($0.1.createdAt, $0.1.sessionID, $0.0) }
      .prefix(limit).map(\.1)
  }

  public func close() {}

  private static func take<Value>(
    _ page: StorePage, of values: [Positioned<Value>], where isIncluded: (Value) -> Bool
  ) -> [Positioned<Value>] {
    var taken: [Positioned<Value>] = []
    for value in values where value.position > page.after && isIncluded(value.value) {
      if taken.count == page.limit { break }
      taken.append(value)
    }
    return taken
  }
}
