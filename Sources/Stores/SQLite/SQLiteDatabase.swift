import CSQLite
import Glibc

/// One connection; used on the store's thread only.
final class SQLiteDatabase {
  enum Value {
    case integer(Int)
    case text(String)
    case null

    init(_ text: String?) {
      self = text.map { .text($0) } ?? .null
    }
  }

  private var connection: OpaquePointer?
  /// Prepared statements kept; beyond it the one used longest ago goes.
  static let statementsAtMost = 96

  private var statements: [String: OpaquePointer] = [:]
  /// The texts of ``statements``, the one used last at the end.
  private var recentStatements: [String] = []

  /// Statements that are prepared now.
  var preparedStatements: Int { statements.count }

  /// Opens a file, and makes it when it is not there, for its owner only: it holds what people
  /// said. SQLite gives its side files the same mode.
  init(path: String) throws(SQLiteError) {
    let created = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // What went wrong is told by SQLite's own opening, with a reason.
    if created >= 0 { Glibc.close(created) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(path, &connection, flags, nil)
    guard result == SQLITE_OK else {
      let failure = error("opening \(path)")
      sqlite3_close_v2(connection)
      throw failure
    }
    sqlite3_extended_result_codes(connection, 1)
    sqlite3_busy_timeout(connection, 5000)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(connection)
  }

  /// Runs statements without parameters or rows.
  func execute(_ script: String) throws(SQLiteError) {
    guard sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK else { throw error(script) }
  }

  /// Runs one statement and gives each row to `read`; the statement stays prepared.
  func run(
    _ statement: String, _ values: [Value] = [],
    read: (borrowing SQLiteRow) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) {
    let prepared = try prepare(statement)
    defer {
      sqlite3_reset(prepared)
      sqlite3_clear_bindings(prepared)
    }
    for (index, value) in values.enumerated() {
      guard bind(value, at: Int32(index + 1), of: prepared) == SQLITE_OK else {
        throw error(statement)
      }
    }
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW: try read(SQLiteRow(statement: prepared))
      case SQLITE_DONE: return
      default: throw error(statement)
      }
    }
  }

  /// The first column of the first row.
  func integer(_ statement: String, _ values: [Value] = []) throws(SQLiteError) -> Int? {
    var result: Int?
    try run(statement, values) { row in
      if result == nil { result = row.integer(0) }
    }
    return result
  }

  private func prepare(_ statement: String) throws(SQLiteError) -> OpaquePointer {
    if let prepared = statements[statement] {
      if recentStatements.last != statement,
        let index = recentStatements.lastIndex(of: statement)
      {
        recentStatements.append(recentStatements.remove(at: index))
      }
      return prepared
    }
    if recentStatements.count >= Self.statementsAtMost {
      sqlite3_finalize(statements.removeValue(forKey: recentStatements.removeFirst()))
    }
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(connection, statement, -1, flags, &prepared, nil) == SQLITE_OK,
      let prepared
    else { throw error(statement) }
    statements[statement] = prepared
    recentStatements.append(statement)
    return prepared
  }

  private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) -> Int32 {
    switch value {
    case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
    case .text(let text):
      sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.transient)
    case .null: sqlite3_bind_null(statement, index)
    }
  }

  private func error(_ statement: String) -> SQLiteError {
    SQLiteError(
      code: sqlite3_extended_errcode(connection),
      message: String(cString: sqlite3_errmsg(connection)), statement: statement)
  }

  /// Tells SQLite to copy what is bound (SQLITE_TRANSIENT, a cast the importer leaves out).
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

/// The row a statement stands at.
struct SQLiteRow: ~Copyable {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int {
    Int(sqlite3_column_int64(statement, column))
  }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The column's bytes, good until the next row.
  func buffer(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: sqlite3_column_text(statement, column),
      count: Int(sqlite3_column_bytes(statement, column)))
  }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_text(statement, column) else { return [] }
    return Array(
      UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
