import CSQLite

/// What SQLite answered, with the statement it answered to.
struct SQLiteError: Error {
  /// The extended result code.
  var code: Int32
  var message: String
  var statement: String

  /// A row that has to be unique exists already.
  var isUniqueness: Bool {
    code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY
  }

  var storeError: StoreError {
    .failed("\(message) (SQLite \(code)) in \(statement.prefix(60))")
  }
}

// The importer leaves out macros that are computed from others.
private let SQLITE_CONSTRAINT_UNIQUE: Int32 = 2067
private let SQLITE_CONSTRAINT_PRIMARYKEY: Int32 = 1555
