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
      try run("DELETE FROM sessions WHERE app = ? AND id = ?", [.text(key.app), .text(key.id)])
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
  }

  private func save(_ record: SessionRecord) throws(StoreError) {
    // Naming the number first tells a deleted session from an unchanged one.
    _ = try number(of: record.key)
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
      .text(JSONValue.object(record.labels.custom).serializedText), .text(record.searchText),
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
