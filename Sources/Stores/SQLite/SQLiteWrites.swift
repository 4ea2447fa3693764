import SessionsModel

/// Applies changes to an open transaction.
struct SQLiteWrites {
  let database: SQLiteDatabase

  func apply(_ changes: [StoreChange]) throws(StoreError) {
    for change in changes { try apply(change) }
  }

  private func apply(_ change: StoreChange) throws(StoreError) {
    switch change {
    case .create(let record): try create(record)
    case .save(let record): try save(record)
    case .delete(let key):
      try delete(key)
    case .turn(let turn, let key): try save(turn, in: key)
    case .item(let item, let key):
      let session = try number(of: key)
      try run(
        """
        INSERT INTO items (session, response_id, ordinal, detail) VALUES (?, ?, ?, ?)
        ON CONFLICT (session, response_id, ordinal) DO UPDATE SET detail = excluded.detail
        """,
        [
          .integer(session), .text(item.responseID), .integer(item.ordinal),
          .text(item.json.serializedText),
        ])
    case .message(let message, let key):
      let session = try number(of: key)
      try run(
        """
        INSERT INTO messages (session, id, detail) VALUES (?, ?, ?)
        ON CONFLICT (session, id) DO UPDATE SET detail = excluded.detail
        """,
        [.integer(session), .text(message.id), .text(message.json.serializedText)])
    case .usage(let entry): try add(entry)
    case .memories(let memories, let key): try save(memories, of: key)
    }
  }

  private func delete(_ key: SessionKey) throws(StoreError) {
    let number: Int
    do throws(StoreError) {
      number = try self.number(of: key)
    } catch .sessionMissing {
      return
    }
    try indexing { indexing throws(SQLiteError) in try indexing.removeWords(number) }
    try run("DELETE FROM sessions WHERE number = ?", [.integer(number)])
  }

  private func indexing(
    _ change: (SQLiteIndexing) throws(SQLiteError) -> Void
  ) throws(StoreError) {
    do throws(SQLiteError) {
      try change(SQLiteIndexing(database: database))
    } catch {
      throw error.storeError
    }
  }

  private func add(_ entry: UsageEntry) throws(StoreError) {
    try run(
      """
      INSERT INTO usage (app, hour, user_id, agent, tags, input_tokens, cached_input_tokens,
        output_tokens, requests, cost_micros, messages)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (app, user_id, hour, agent, tags) DO UPDATE SET
        input_tokens = input_tokens + excluded.input_tokens,
        cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        requests = requests + excluded.requests,
        cost_micros = cost_micros + excluded.cost_micros,
        messages = messages + excluded.messages
      """,
      [
        .text(entry.app), .integer(entry.hour.millisecondsSince1970), .text(entry.userID),
        .text(entry.agent),
        .text(JSONValue.object(entry.tags.mapValues { .string($0) }).serializedText),
        .integer(entry.usage.inputTokens), .integer(entry.usage.cachedInputTokens),
        .integer(entry.usage.outputTokens), .integer(entry.usage.requests),
        .integer(entry.usage.costMicros), .integer(entry.messages),
      ])
  }

  private func save(_ memories: [MemoryRecord], of key: SessionKey) throws(StoreError) {
    let session = try number(of: key)
    try run("DELETE FROM memories WHERE session = ?", [.integer(session)])
    for memory in memories {
      try run(
        """
        INSERT INTO memories (session, app, user_id, owner_kind, agent, created_at, text)
        SELECT number, app, user_id, owner_kind, agent, ?, ? FROM sessions WHERE number = ?
        """,
        [
          .integer(memory.createdAt.millisecondsSince1970), .text(memory.text),
          .integer(session),
        ])
    }
  }

  private func create(_ record: SessionRecord) throws(StoreError) {
    try run(
      """
      INSERT INTO sessions (owner_kind, user_id, agent, agent_id, config_id, project_id, state,
        modality, created_at, updated_at, custom, search, detail, app, id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      columns(of: record), onUniqueness: .sessionExists(record.id))
    let number = try number(of: record.key)
    try indexing { indexing throws(SQLiteError) in try indexing.add(record, number: number) }
  }

  private func save(_ record: SessionRecord) throws(StoreError) {
    // Naming the number first tells a deleted session from an unchanged one.
    let number = try number(of: record.key)
    try indexing { indexing throws(SQLiteError) in try indexing.update(record, number: number) }
    try run(
      """
      UPDATE sessions SET owner_kind = ?, user_id = ?, agent = ?, agent_id = ?, config_id = ?,
        project_id = ?, state = ?, modality = ?, created_at = ?, updated_at = ?, custom = ?,
        search = ?, detail = ?
      WHERE app = ? AND id = ?
      """,
      columns(of: record))
  }

  private func columns(of record: SessionRecord) -> [SQLiteDatabase.Value] {
    [
      .text(record.owner.kind.rawValue), .text(record.owner.userID), .text(record.agent),
      .text(record.agentID), SQLiteDatabase.Value(record.configID),
      SQLiteDatabase.Value(record.labels.projectID), .text(record.state.rawValue),
      .text(record.modality.rawValue), .integer(record.createdAt.millisecondsSince1970),
      .integer(record.updatedAt.millisecondsSince1970),
      .text(SQLiteIndexing.custom(of: record)), .text(""),
      .text(record.json.serializedText), .text(record.app), .text(record.id),
    ]
  }

  private func save(_ turn: TurnRecord, in key: SessionKey) throws(StoreError) {
    let session = try number(of: key)
    try run(
      """
      INSERT INTO turns (session, id, request_id, is_rewound, detail) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (session, id) DO UPDATE SET request_id = excluded.request_id,
        is_rewound = excluded.is_rewound, detail = excluded.detail
      """,
      [
        .integer(session), .text(turn.id), .text(turn.requestID),
        .integer(turn.isRewound ? 1 : 0), .text(turn.json.serializedText),
      ],
      onUniqueness: .requestExists(turn.requestID))
  }

  private func number(of key: SessionKey) throws(StoreError) -> Int {
    do {
      let statement = "SELECT number FROM sessions WHERE app = ? AND id = ?"
      if let number = try database.integer(statement, [.text(key.app), .text(key.id)]) {
        return number
      }
    } catch {
      throw error.storeError
    }
    throw .sessionMissing(key.id)
  }

  private func run(
    _ statement: String, _ values: [SQLiteDatabase.Value], onUniqueness: StoreError? = nil
  ) throws(StoreError) {
    do {
      try database.run(statement, values)
    } catch {
      if error.isUniqueness, let onUniqueness { throw onUniqueness }
      throw error.storeError
    }
  }
}
