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
    content.sessions.values.map(\.record)
      .filter { selection.matches($0) && selection.isBehindPosition($0) }
      .sorted { SessionSelection.Position(of: $1) < SessionSelection.Position(of: $0) }
      .prefix(selection.limit).map { $0 }
  }

  public func liveSessions() -> [SessionRecord] {
    content.sessions.values.map(\.record).filter { $0.state == .live }
      .sorted { ($0.app, $0.id) < ($1.app, $1.id) }
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
