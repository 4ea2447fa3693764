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

  func sessions(_ selection: SessionSelection) throws(StoreError) -> [SessionRecord] {
    var conditions = ["app = ?"]
    var values: [Value] = [.text(selection.app)]
    func require(_ condition: String, _ given: Value...) {
      conditions.append(condition)
      values += given
    }
    if let owner = selection.owner {
      require("user_id = ? AND owner_kind = ?", .text(owner.userID), .text(owner.kind.rawValue))
    }
    let filter = selection.filter
    let equalities = [
      ("agent", filter.agent), ("agent_id", filter.agentID), ("config_id", filter.configID),
      ("user_id", filter.userID), ("project_id", filter.projectID),
      ("modality", filter.modality?.rawValue), ("state", filter.state?.rawValue),
    ]
    for (column, wanted) in equalities {
      if let wanted { require("\(column) = ?", .text(wanted)) }
    }
    if let since = filter.createdSince {
      require("created_at >= ?", .integer(since.millisecondsSince1970))
    }
    if let before = filter.createdBefore {
      require("created_at < ?", .integer(before.millisecondsSince1970))
    }
    for (key, wanted) in filter.custom ?? [:] {
      require(
        "EXISTS (SELECT 1 FROM json_each(custom) AS c "
          + "WHERE c.key = ? AND c.value = ? AND c.type = 'text')", .text(key), .text(wanted))
    }
    for word in selection.searchWords { require("instr(search, ?) > 0", .text(word)) }
    if let after = selection.after {
      require("(updated_at, id) < (?, ?)", .integer(after.updatedAt), .text(after.id))
    }
    return try sessions(
      conditions.joined(separator: " AND "), values, limit: selection.limit)
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

  private func sessions(
    _ condition: String, _ values: [Value], order: String = "updated_at DESC, id DESC", limit: Int
  ) throws(StoreError) -> [SessionRecord] {
    try read(
      "SELECT detail FROM sessions WHERE \(condition) ORDER BY \(order) LIMIT ?",
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

  private func read<Record>(
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
