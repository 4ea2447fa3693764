import SessionsModel

/// Keeps what sessions are found by beside their rows: the words of the search and the labels.
struct SQLiteIndexing {
  let database: SQLiteDatabase

  func add(_ record: SessionRecord, number: Int) throws(SQLiteError) {
    try addWords(of: record, number)
    try addLabels(of: record, number)
  }

  /// Brings both up to date where the record differs from what is stored.
  func update(_ record: SessionRecord, number: Int) throws(SQLiteError) {
    let text = record.searchText
    var stored: (scope: String, text: SearchWords.Text)?
    try database.run(
      "SELECT scope, title, names, description FROM session_words WHERE rowid = ?",
      [.integer(number)]
    ) { row throws(SQLiteError) in
      stored = (
        row.text(0),
        SearchWords.Text(title: row.text(1), names: row.text(2), description: row.text(3))
      )
    }
    if stored?.text != text || stored?.scope != Self.scope(of: record) {
      try removeWords(number)
      try addWords(of: record, number)
    }
    let custom = Self.custom(of: record)
    let unchanged = try database.integer(
      "SELECT custom = ? FROM sessions WHERE number = ?", [.text(custom), .integer(number)])
    if unchanged != 1 {
      try database.run("DELETE FROM labels WHERE session = ?", [.integer(number)])
      try addLabels(of: record, number)
    }
  }

  func removeWords(_ number: Int) throws(SQLiteError) {
    try database.run("DELETE FROM session_words WHERE rowid = ?", [.integer(number)])
  }

  private func addWords(of record: SessionRecord, _ number: Int) throws(SQLiteError) {
    let text = record.searchText
    try database.run(
      "INSERT INTO session_words (rowid, scope, title, names, description) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(number), .text(Self.scope(of: record)), .text(text.title), .text(text.names),
        .text(text.description),
      ])
  }

  private func addLabels(of record: SessionRecord, _ number: Int) throws(SQLiteError) {
    for (key, value) in record.labels.custom {
      guard case .string(let text) = value else { continue }
      try database.run(
        "INSERT INTO labels (session, app, key, value) VALUES (?, ?, ?, ?)",
        [.integer(number), .text(record.app), .text(key), .text(text)])
    }
  }

  static func custom(of record: SessionRecord) -> String {
    JSONValue.object(record.labels.custom).serializedText
  }

  /// Words that narrow a search to an app and an owner before any row is read.
  private static func scope(of record: SessionRecord) -> String {
    "\(word(app: record.app)) \(word(owner: record.owner, app: record.app))"
  }

  static func word(app: String) -> String { "a\(checksum(app))" }

  static func word(owner: SessionOwner, app: String) -> String {
    "o\(checksum("\(app)\u{0}\(owner.kind.rawValue)\u{0}\(owner.userID)"))"
  }

  /// FNV-1a, 64 bits; the row itself is asked for the rest.
  private static func checksum(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
