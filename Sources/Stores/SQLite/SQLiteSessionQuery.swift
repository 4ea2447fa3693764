import SessionsModel

/// Lists and searches sessions.
extension SQLiteReads {
  /// Up to this many sessions it is quicker to look each up than to go through the list.
  private static let few = 5_000

  /// Conditions of a statement and what is bound to them.
  private struct Conditions {
    var texts: [String] = []
    /// Where the sessions are read from.
    var source = "sessions"
    var values: [Value] = []

    mutating func require(_ condition: String, _ given: Value...) {
      texts.append(condition)
      values += given
    }

    var text: String { texts.joined(separator: " AND ") }
  }

  func sessions(_ selection: SessionSelection) throws(StoreError) -> [SessionRecord] {
    let conditions = try conditions(of: selection)
    guard selection.filter.text == nil else { return try search(selection, conditions) }
    var listed = conditions
    if let after = selection.after {
      listed.require("(updated_at, id) < (?, ?)", .integer(after.updatedAt), .text(after.id))
    }
    return try sessions(
      listed.text, listed.values, from: listed.source, limit: selection.limit)
  }

  private func conditions(of selection: SessionSelection) throws(StoreError) -> Conditions {
    var conditions = Conditions()
    let filter = selection.filter
    conditions.require("app = ?", .text(selection.app))
    if let owner = selection.owner {
      conditions.require("user_id = ?", .text(owner.userID))
      conditions.require("owner_kind = ?", .text(owner.kind.rawValue))
    }
    let equalities = [
      ("agent", filter.agent), ("agent_id", filter.agentID), ("config_id", filter.configID),
      ("user_id", filter.userID), ("project_id", filter.projectID),
      ("modality", filter.modality?.rawValue),
    ]
    for (column, wanted) in equalities {
      if let wanted { conditions.require("\(column) = ?", .text(wanted)) }
    }
    // Written out, so that the index of live sessions can be seen to fit.
    if let state = filter.state { conditions.require("state = '\(state.rawValue)'") }
    if let since = filter.createdSince {
      conditions.require("created_at >= ?", .integer(since.millisecondsSince1970))
      // Follows from it, and the order of the list can use it.
      conditions.require("updated_at >= ?", .integer(since.millisecondsSince1970))
    }
    if let before = filter.createdBefore {
      conditions.require("created_at < ?", .integer(before.millisecondsSince1970))
      // A short time long ago lies far down the list.
      let since = filter.createdSince?.millisecondsSince1970 ?? .min
      let isFew = try isFew(
        "sessions WHERE app = ? AND created_at >= ? AND created_at < ?",
        [.text(selection.app), .integer(since), .integer(before.millisecondsSince1970)])
      if isFew, filter.text == nil {
        conditions.source = "sessions INDEXED BY sessions_by_creation"
      }
    }
    for (key, wanted) in (filter.custom ?? [:]).sorted(by: { $0.key < $1.key }) {
      try require(label: key, wanted, of: selection.app, &conditions)
    }
    return conditions
  }

  /// Few sessions with a label are looked up by it; many are met on the way through the list.
  private func require(
    label key: String, _ wanted: String, of app: String, _ conditions: inout Conditions
  ) throws(StoreError) {
    let values: [Value] = [.text(app), .text(key), .text(wanted)]
    let label = "FROM labels WHERE app = ? AND key = ? AND value = ?"
    if try isFew("labels WHERE app = ? AND key = ? AND value = ?", values) {
      conditions.texts.append("number IN (SELECT session \(label))")
      // Without the others' help, that is: one of the orders would be gone through otherwise.
      if conditions.source == "sessions" { conditions.source = "sessions NOT INDEXED" }
    } else {
      conditions.texts.append("EXISTS (SELECT 1 \(label) AND session = number)")
    }
    conditions.values += values
  }

  private func isFew(_ rows: String, _ values: [Value]) throws(StoreError) -> Bool {
    do throws(SQLiteError) {
      let count = try database.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT \(Self.few + 1))", values)
      return (count ?? 0) <= Self.few
    } catch {
      throw error.storeError
    }
  }

  private struct Hit {
    var number: Int
    var position: SessionSelection.Position
  }

  /// Finds the hits among the newest sessions, orders them, and reads only those of the page.
  private func search(
    _ selection: SessionSelection, _ conditions: Conditions
  ) throws(StoreError) -> [SessionRecord] {
    let words = selection.searchWords
    guard !words.words.isEmpty else { return [] }
    let scope =
      selection.owner.map { SQLiteIndexing.word(owner: $0, app: selection.app) }
      ?? SQLiteIndexing.word(app: selection.app)
    let match =
      "scope : \(scope) AND {title names description} : ("
      + words.words.map { "\"\($0.text)\"\($0.isBeginning ? " *" : "")" }
      .joined(separator: " AND ") + ")"
    let found = try read(
      """
      SELECT w.rowid, w.title, w.names, w.description, s.updated_at, s.id
      FROM session_words AS w CROSS JOIN sessions AS s ON s.number = w.rowid
      WHERE session_words MATCH ? AND \(conditions.text)
      ORDER BY w.rowid DESC LIMIT \(SessionSelection.searchedHits)
      """, [.text(match)] + conditions.values
    ) { row throws(WireError) in
      let score =
        selection.ordersByRelevance
        ? words.score(
          title: row.buffer(1), names: row.buffer(2), description: row.buffer(3)) ?? 0 : 0
      return Hit(
        number: row.integer(0),
        position: SessionSelection.Position(
          score: score, updatedAt: row.integer(4), id: row.text(5)))
    }
    let page = found.filter { selection.isBehind($0.position) }
      .sorted { $1.position < $0.position }.prefix(selection.limit)
    var records: [SessionRecord] = []
    for hit in page {
      records += try sessions("number = ?", [.integer(hit.number)], limit: 1)
    }
    return records
  }
}
