/// A stream of bytes to a server, real or scripted.
public protocol ByteConnection: AnyObject, Sendable {
  /// Writes after everything written before; suspends above 1 MiB unwritten.
  ///
  /// - Returns: false when the connection has ended, and nothing was taken.
  func write(_ bytes: [UInt8]) async -> Bool

  /// The next bytes; nil at the end. One reader at a time.
  func read() async -> [UInt8]?

  /// Ends the connection; a reader sees its end, what is unwritten is lost.
  func close() async
}

/// Opens byte streams.
public protocol ByteDialer: Sendable {
  /// Connects over TCP.
  ///
  /// - Parameter timeout: limits each attempt, one for each address of `host`.
  /// - Throws: `.unreachable` with the system's reason, or `.timedOut`.
  func connect(to host: String, port: Int, timeout: Duration)
    async throws(TransportError) -> any ByteConnection
}
