import SessionsModel

/// The tables, and the way forward from every earlier version of them.
///
/// Each table keeps the whole record as JSON in `detail`; the other columns are what queries need.
enum SQLiteSchema {
  /// One step forward.
  private struct Migration: Sendable {
    var script: String
    /// What SQL alone cannot do, in the same transaction.
    var fill: @Sendable (SQLiteDatabase) throws(SQLiteError) -> Void = { _ in }
  }

  /// Entry n leads from version n to n + 1; entries are never changed once released.
  private static let migrations = [
    Migration(script: first),
    Migration(script: second) { database throws(SQLiteError) in try fillSecond(database) },
  ]

  /// The newest version.
  static var version: Int { migrations.count }

  private static let first = """
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      app TEXT NOT NULL,
      id TEXT NOT NULL,
      owner_kind TEXT NOT NULL,
      user_id TEXT NOT NULL,
      agent TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      config_id TEXT,
      project_id TEXT,
      state TEXT NOT NULL,
      modality TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      custom TEXT NOT NULL,
      search TEXT NOT NULL,
      detail TEXT NOT NULL,
      UNIQUE (app, id)
    );
    CREATE INDEX sessions_by_activity ON sessions (app, updated_at DESC, id DESC);
    CREATE INDEX sessions_by_owner
      ON sessions (app, user_id, owner_kind, updated_at DESC, id DESC);
    CREATE INDEX sessions_live ON sessions (app, id) WHERE state = 'live';
    CREATE TABLE turns (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
      id TEXT NOT NULL,
      request_id TEXT NOT NULL,
      is_rewound INTEGER NOT NULL,
      detail TEXT NOT NULL,
      UNIQUE (session, id),
      UNIQUE (session, request_id)
    );
    CREATE INDEX turns_in_order ON turns (session, position);
    CREATE TABLE items (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
      response_id TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      detail TEXT NOT NULL,
      UNIQUE (session, response_id, ordinal)
    );
    CREATE INDEX items_in_order ON items (session, position);
    CREATE TABLE messages (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
      id TEXT NOT NULL,
      detail TEXT NOT NULL,
      UNIQUE (session, id)
    );
    CREATE INDEX messages_in_order ON messages (session, position);
    """

  /// Search, labels, costs, memories, and the orders that lists are asked for in.
  private static let second = """
    CREATE VIRTUAL TABLE session_words
      USING fts5 (scope, title, names, description, tokenize = "unicode61 remove_diacritics 0");
    CREATE TABLE labels (
      session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
      app TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (app, key, value, session)
    ) WITHOUT ROWID;
    CREATE INDEX labels_of_session ON labels (session);
    CREATE INDEX sessions_by_project ON sessions (app, project_id, updated_at DESC, id DESC)
      WHERE project_id IS NOT NULL;
    CREATE INDEX sessions_by_user ON sessions (app, user_id, updated_at DESC, id DESC);
    CREATE INDEX sessions_by_creation ON sessions (app, created_at);
    CREATE INDEX sessions_live_by_activity ON sessions (app, updated_at DESC, id DESC)
      WHERE state = 'live';
    CREATE TABLE usage (
      app TEXT NOT NULL,
      hour INTEGER NOT NULL,
      user_id TEXT NOT NULL,
      agent TEXT NOT NULL,
      tags TEXT NOT NULL,
      input_tokens INTEGER NOT NULL,
      cached_input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      requests INTEGER NOT NULL,
      cost_micros INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      PRIMARY KEY (app, user_id, hour, agent, tags)
    ) WITHOUT ROWID;
    CREATE INDEX usage_by_hour ON usage (app, hour);
    CREATE TABLE memories (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
      app TEXT NOT NULL,
      user_id TEXT NOT NULL,
      owner_kind TEXT NOT NULL,
      agent TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      text TEXT NOT NULL
    );
    CREATE INDEX memories_of_session ON memories (session, position);
    CREATE INDEX memories_of_owner
      ON memories (app, user_id, owner_kind, agent, created_at DESC, position DESC);
    """

  /// Sets the connection up and brings the tables to the newest version.
  ///
  /// `synchronous = FULL` makes WAL sync at every commit, so that what was acknowledged survives
  /// a loss of power.
  static func prepare(_ database: SQLiteDatabase) throws(SQLiteError) {
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      """)
    let version = try database.integer("PRAGMA user_version") ?? 0
    guard version <= migrations.count else {
      throw SQLiteError(
        code: 0,
        message:
          "the file has version \(version), this router knows \(migrations.count): use a newer one",
        statement: "PRAGMA user_version")
    }
    for next in version..<migrations.count { try migrate(database, from: next) }
  }

  private static func migrate(_ database: SQLiteDatabase, from version: Int) throws(SQLiteError) {
    try database.execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      try database.execute(migrations[version].script)
      try migrations[version].fill(database)
      try database.execute("PRAGMA user_version = \(version + 1)")
      try database.execute("COMMIT")
    } catch {
      // A failed rollback means that there is nothing left to roll back.
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// Makes every session of the first version searchable.
  private static func fillSecond(_ database: SQLiteDatabase) throws(SQLiteError) {
    var last = 0
    while true {
      // A page at a time: a router may have kept very many.
      var page: [(number: Int, detail: [UInt8])] = []
      try database.run(
        "SELECT number, detail FROM sessions WHERE number > ? ORDER BY number LIMIT 500",
        [.integer(last)]
      ) { row throws(SQLiteError) in page.append((row.integer(0), row.bytes(1))) }
      guard let newest = page.last?.number else { return }
      last = newest
      for (number, detail) in page {
        let record: SessionRecord
        do {
          let json = try JSONValue.parse(detail, depthLimit: JSONValue.depthLimit + 8)
          record = try SessionRecord(json: json)
        } catch {
          throw SQLiteError(
            code: 0, message: "session \(number) cannot be read: \(error)", statement: "migration")
        }
        try SQLiteIndexing(database: database).add(record, number: number)
      }
    }
  }
}
