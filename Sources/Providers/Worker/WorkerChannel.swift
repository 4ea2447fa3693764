/// Starts worker processes of one role.
public protocol WorkerLauncher: Sendable {
  /// Starts a process.
  ///
  /// - Throws: `.unavailable` with a sentence naming the program and what to do.
  func launch() async throws(ProviderError) -> any WorkerChannel
}

/// A running worker's pipes.
public protocol WorkerChannel: AnyObject, Sendable {
  /// Writes to the worker's standard input; suspends while the pipe is full, does nothing once the
  /// process has ended.
  func send(_ bytes: [UInt8]) async

  /// What came next; nil after `.ended` was delivered.
  func receive() async -> WorkerChannelEvent?

  /// Ends the process at once (SIGKILL); `.ended` follows.
  func kill()
}

/// What a worker's owner sees of it.
public enum WorkerChannelEvent: Sendable, Equatable {
  /// Bytes of its standard output, as the pipe gave them.
  case output([UInt8])
  /// The end of the process, as a sentence part: `exit status 1`, `signal 9`.
  case ended(String)
}
