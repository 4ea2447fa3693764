/// The tables, and the way forward from every earlier version of them.
///
/// Each table keeps the whole record as JSON in `detail`; the other columns are what queries need.
enum SQLiteSchema {
  /// Entry n leads from version n to n + 1; entries are never changed once released.
  static let migrations = [
    """
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
  ]

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
    for next in version..<migrations.count {
      try database.execute(
        "BEGIN IMMEDIATE; \(migrations[next]) PRAGMA user_version = \(next + 1); COMMIT;")
    }
  }
}
