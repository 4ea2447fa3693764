import Foundation
import SessionsModel

/// Answers questions from the committed state.
struct SQLiteReads {
  typealias Value = SQLiteDatabase.Value

  let database: SQLiteDatabase

  func session(_ id: String, app: String) throws(StoreError) -> SessionRecord? {
    try sessions("app = ? AND id = ?", [.text(app), .text(id)], limit: 1).first
  }

  func liveSessions() throws(StoreError) -> [SessionRecord] {
    try sessions("state = 'live'", [], order: "app, id", limit: .max)
  }

  func sessionsToLookBackOn(limit: Int) throws(StoreError) -> [SessionRecord] {
    // From app to app by the index, without reading what lies between.
    let apps = try read(
      """
      WITH RECURSIVE apps (app) AS (
        SELECT min(app) FROM sessions
        UNION ALL
        SELECT (SELECT min(app) FROM sessions WHERE app > apps.app) FROM apps WHERE app IS NOT NULL)
      SELECT app FROM apps WHERE app IS NOT NULL
      """, []
    ) { row throws(WireError) in row.text(0) }
    var found: [SessionRecord] = []
    for app in apps {
      found += try sessions(
        "detail LIKE ?", [.text(app), .integer(limit), .text("%\"look_back_due\":true%")],
        from: "(SELECT detail, updated_at, id FROM sessions WHERE app = ? AND state = 'ended' "
          + "ORDER BY updated_at DESC, id DESC LIMIT ?)", limit: limit)
    }
    return found.filter(\.isLookBackDue).sorted { $0.updatedAt < $1.updatedAt }
  }

  func turns(of key: SessionKey, _ page: StorePage) throws(StoreError) -> [Positioned<TurnRecord>] {
    try rows(
      "turns", of: key, page, condition: "AND NOT r.is_rewound", [], TurnRecord.init(json:))
  }

  func turn(of key: SessionKey, requestID: String) throws(StoreError) -> TurnRecord? {
    try rows(
      "turns", of: key, StorePage(limit: 1), condition: "AND r.request_id = ?",
      [.text(requestID)], TurnRecord.init(json:)
    ).first?.value
  }

  func items(
    of key: SessionKey, responseID: String?, _ page: StorePage
  ) throws(StoreError) -> [Positioned<AgentResponseItem>] {
    let alive = """
      AND NOT EXISTS (SELECT 1 FROM turns AS t
        WHERE t.session = r.session AND t.id = r.response_id AND t.is_rewound)
      """
    let values = responseID.map { [Value.text($0)] } ?? []
    return try rows(
      "items", of: key, page,
      condition: alive + (responseID == nil ? "" : " AND r.response_id = ?"), values,
      AgentResponseItem.init(json:))
  }

  func messages(
    of key: SessionKey, _ page: StorePage
  ) throws(StoreError) -> [Positioned<TranscriptMessage>] {
    try rows("messages", of: key, page, condition: "", [], TranscriptMessage.init(json:))
  }

  func usage(_ selection: UsageSelection) throws(StoreError) -> [UsageTotal] {
    var conditions = ["app = ?"]
    var values: [Value] = []
    let key =
      switch selection.grouping {
      case .all: "''"
      case .user: "user_id"
      case .agent: "agent"
      case .tag: "coalesce((SELECT value FROM json_each(tags) WHERE key = ?), '')"
      }
    if case .tag(let name) = selection.grouping { values.append(.text(name)) }
    values.append(.text(selection.app))
    if let user = selection.userID {
      conditions.append("user_id = ?")
      values.append(.text(user))
    }
    if let since = selection.since {
      conditions.append("hour > ?")
      values.append(.integer(since.millisecondsSince1970 - UsageEntry.period * 1000))
    }
    if let until = selection.until {
      conditions.append("hour < ?")
      values.append(.integer(until.millisecondsSince1970))
    }
    return try read(
      """
      SELECT \(key) AS k, sum(input_tokens), sum(cached_input_tokens), sum(output_tokens),
        sum(requests), sum(cost_micros) AS cost, sum(messages)
      FROM usage WHERE \(conditions.joined(separator: " AND "))
      GROUP BY k ORDER BY cost DESC, k LIMIT ?
      """, values + [.integer(selection.limit)]
    ) { row throws(WireError) in
      var usage = SessionUsage()
      usage.inputTokens = row.integer(1)
      usage.cachedInputTokens = row.integer(2)
      usage.outputTokens = row.integer(3)
      usage.requests = row.integer(4)
      usage.costMicros = row.integer(5)
      return UsageTotal(key: row.text(0), usage: usage, messages: row.integer(6))
    }
  }

  func memories(of key: SessionKey) throws(StoreError) -> [MemoryRecord] {
    try memories(
      "s.app = ? AND s.id = ?", [.text(key.app), .text(key.id)], order: "m.position", limit: .max)
  }

  func memories(
    of owner: SessionOwner, agent: String, app: String, limit: Int
  ) throws(StoreError) -> [MemoryRecord] {
    try memories(
      "m.app = ? AND m.user_id = ? AND m.owner_kind = ? AND m.agent = ?",
      [.text(app), .text(owner.userID), .text(owner.kind.rawValue), .text(agent)],
      order: "m.created_at DESC, m.position DESC", limit: limit)
  }

  private func memories(
    _ condition: String, _ values: [Value], order: String, limit: Int
  ) throws(StoreError) -> [MemoryRecord] {
    try read(
      """
      SELECT s.id, m.text, m.created_at FROM memories AS m
      JOIN sessions AS s ON s.number = m.session
      WHERE \(condition) ORDER BY \(order) LIMIT ?
      """, values + [.integer(limit)]
    ) { row throws(WireError) in
      MemoryRecord(
        sessionID: row.text(0), text: row.text(1),
        createdAt: Date(millisecondsSince1970: row.integer(2)))
    }
  }

  func sessions(
    _ condition: String, _ values: [Value], from source: String = "sessions",
    order: String = "updated_at DESC, id DESC", limit: Int
  ) throws(StoreError) -> [SessionRecord] {
    try read(
      "SELECT detail FROM \(source) WHERE \(condition) ORDER BY \(order) LIMIT ?",
      values + [.integer(limit)]
    ) { row throws(WireError) in
      try SessionRecord(json: Self.detail(row.bytes(0)))
    }
  }

  private func rows<Record: Sendable>(
    _ table: String, of key: SessionKey, _ page: StorePage, condition: String, _ values: [Value],
    _ decode: (JSONValue) throws(WireError) -> Record
  ) throws(StoreError) -> [Positioned<Record>] {
    try read(
      """
      SELECT r.position, r.detail FROM \(table) AS r
      WHERE r.session = (SELECT number FROM sessions WHERE app = ? AND id = ?)
        AND r.position > ? \(condition)
      ORDER BY r.position LIMIT ?
      """,
      [.text(key.app), .text(key.id), .integer(page.after)] + values + [.integer(page.limit)]
    ) { row throws(WireError) in
      Positioned(position: row.integer(0), value: try decode(Self.detail(row.bytes(1))))
    }
  }

  func read<Record>(
    _ statement: String, _ values: [Value],
    _ decode: (borrowing SQLiteRow) throws(WireError) -> Record
  ) throws(StoreError) -> [Record] {
    var records: [Record] = []
    var unreadable: WireError?
    do throws(SQLiteError) {
      try database.run(statement, values) { row throws(SQLiteError) in
        do throws(WireError) {
          records.append(try decode(row))
        } catch {
          unreadable = error
        }
      }
    } catch {
      throw error.storeError
    }
    if let unreadable { throw .failed("a stored record cannot be read: \(unreadable)") }
    return records
  }

  private static func detail(_ bytes: [UInt8]) throws(WireError) -> JSONValue {
    do {
      // What a client was allowed to send has grown by the levels of the record around it.
      return try JSONValue.parse(bytes, depthLimit: JSONValue.depthLimit + 8)
    } catch {
      throw WireError(error)
    }
  }
}
