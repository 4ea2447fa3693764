import Foundation

/// The one thread that touches the database file.
///
/// It takes everything that waits at once: first the reads, each answered from the committed
/// state, then all writes in one transaction, so that they share one sync (group commit). A write
/// is answered only after that sync.
///
/// Unchecked because the compiler cannot see that `state` is only touched with `condition` locked;
/// the database itself is made, used and released on the thread alone.
final class StoreThread: @unchecked Sendable {
  /// Requests that may wait; one more is refused as overloaded.
  static let capacity = 4096

  enum Job: Sendable {
    case read(@Sendable (SQLiteReads) -> Void)
    case write([StoreChange], @Sendable (Result<Void, StoreError>) -> Void)
  }

  private struct State {
    var jobs: [Job] = []
    var isClosing = false
    /// Called on the thread once everything was done.
    var onClosed: [@Sendable () -> Void] = []
    var hasEnded = false
  }

  private let condition = NSCondition()
  private var state = State()

  /// Opens the file on a new thread and reports how that went; called once.
  func start(path: String, opened: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    let thread = Thread { [self] in run(path: path, opened: opened) }
    thread.name = "session store"
    thread.start()
  }

  /// - Returns: why the job was not taken; nil when it was.
  func submit(_ job: Job) -> StoreError? {
    condition.lock()
    defer { condition.unlock() }
    if state.isClosing { return .failed("the store is closed") }
    if state.jobs.count >= Self.capacity { return .overloaded(waiting: state.jobs.count) }
    state.jobs.append(job)
    condition.signal()
    return nil
  }

  /// Ends the thread after everything submitted.
  func close(_ onClosed: @escaping @Sendable () -> Void) {
    condition.lock()
    state.isClosing = true
    let hasEnded = state.hasEnded
    if !hasEnded { state.onClosed.append(onClosed) }
    condition.signal()
    condition.unlock()
    if hasEnded { onClosed() }
  }

  private func run(path: String, opened: (Result<Void, StoreError>) -> Void) {
    do {
      let database = try SQLiteDatabase(path: path)
      try SQLiteSchema.prepare(database)
      opened(.success(()))
      while let jobs = take() { work(jobs, database) }
    } catch {
      opened(.failure(error.storeError))
    }
    finish()
  }

  /// Waits for jobs; nil when the thread is to end.
  private func take() -> [Job]? {
    condition.lock()
    defer { condition.unlock() }
    while state.jobs.isEmpty, !state.isClosing { condition.wait() }
    guard !state.jobs.isEmpty else { return nil }
    defer { state.jobs = [] }
    return state.jobs
  }

  private func finish() {
    condition.lock()
    state.isClosing = true
    state.hasEnded = true
    let callbacks = state.onClosed
    state.onClosed = []
    condition.unlock()
    for callback in callbacks { callback() }
  }

  private func work(_ jobs: [Job], _ database: SQLiteDatabase) {
    for case .read(let read) in jobs { read(SQLiteReads(database: database)) }
    var writes: [([StoreChange], @Sendable (Result<Void, StoreError>) -> Void)] = []
    for case .write(let changes, let answer) in jobs { writes.append((changes, answer)) }
    guard !writes.isEmpty else { return }
    var results: [Result<Void, StoreError>] = []
    do {
      try database.execute("BEGIN IMMEDIATE")
      for (changes, _) in writes { results.append(try apply(changes, database)) }
      try database.execute("COMMIT")
    } catch {
      // A failed rollback means that there is nothing left to roll back.
      try? database.execute("ROLLBACK")
      results = writes.map { _ in .failure(error.storeError) }
    }
    for ((_, answer), result) in zip(writes, results) { answer(result) }
  }

  /// One group inside the shared transaction; its failure takes back only itself.
  private func apply(
    _ changes: [StoreChange], _ database: SQLiteDatabase
  ) throws(SQLiteError) -> Result<Void, StoreError> {
    try database.execute("SAVEPOINT one")
    do {
      try SQLiteWrites(database: database).apply(changes)
      try database.execute("RELEASE one")
      return .success(())
    } catch let error as StoreError {
      try database.execute("ROLLBACK TO one; RELEASE one")
      return .failure(error)
    } catch {
      throw error as? SQLiteError
        ?? SQLiteError(code: 0, message: "\(error)", statement: "SAVEPOINT one")
    }
  }
}
