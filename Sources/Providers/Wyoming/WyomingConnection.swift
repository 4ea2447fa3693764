import Networking
import SessionsModel
import Synchronization

/// One conversation with a Wyoming server.
final class WyomingConnection: Sendable {
  /// From a request for a connection to its being there.
  static let connectLimit = Duration.seconds(2)
  /// How long a server may leave what it is sent unread.
  static let writeLimit = Duration.seconds(3)

  let name: String
  private let connection: any ByteConnection
  private let runtime: any Runtime
  private let state = Mutex((decoder: WyomingDecoder(), failure: ProviderError?.none))

  private init(_ connection: any ByteConnection, _ name: String, _ runtime: any Runtime) {
    self.connection = connection
    self.name = name
    self.runtime = runtime
  }

  /// Connects to a server.
  ///
  /// - Throws: `.unavailable` or `.timedOut`.
  static func open(
    _ server: WyomingServer
  ) async throws(ProviderError) -> WyomingConnection {
    let (dialer, runtime, name) = (server.dialer, server.runtime, server.name)
    let (host, port, limit) = (server.host, server.port, connectLimit)
    return try await withTimeLimit(
      limit, on: runtime, otherwise: "\(name) took no connection for \(limit.wholeMilliseconds) ms."
    ) { () throws(ProviderError) -> WyomingConnection in
      do throws(TransportError) {
        return WyomingConnection(
          try await dialer.connect(to: host, port: port, timeout: limit), name, runtime)
      } catch {
        throw ProviderError(error)
      }
    }
  }

  /// Sends an event.
  ///
  /// - Throws: `.failed` when the server has closed, `.timedOut` when it does not read.
  func send(_ event: WyomingEvent) async throws(ProviderError) {
    let (connection, name, limit) = (connection, name, Self.writeLimit)
    try await withTimeLimit(
      limit, on: runtime, otherwise: "\(name) read nothing for \(limit.wholeMilliseconds) ms."
    ) { () throws(ProviderError) -> Void in
      guard await connection.write(event.encoded) else {
        throw .failed("\(name) closed the connection.")
      }
    }
  }

  /// The next event. One reader at a time; what went wrong once goes wrong again.
  ///
  /// - Throws: `.timedOut` when none comes within `limit`; `.failed` when the server closes, says
  ///   `error`, or sends what cannot be read.
  func next(within limit: Duration) async throws(ProviderError) -> WyomingEvent {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    do throws(ProviderError) {
      return try await read(within: limit)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  private func read(within limit: Duration) async throws(ProviderError) -> WyomingEvent {
    while true {
      if let event = try decoded() {
        guard event.type != "error" else {
          let said = event.data["text"]?.stringValue ?? "no reason given"
          throw .failed("\(name) failed: \(said)")
        }
        return event
      }
      let (connection, runtime) = (connection, runtime)
      let bytes = try await withTimeLimit(
        limit, on: runtime, otherwise: "\(name) said nothing for \(limit.wholeMilliseconds) ms."
      ) { () throws(ProviderError) -> [UInt8]? in
        // A reader cannot be called back; the end of the connection wakes it.
        await withTaskCancellationHandler {
          await connection.read()
        } onCancel: {
          runtime.task { await connection.close() }
        }
      }
      guard let bytes else {
        let isCut = state.withLock { $0.decoder.isInMidEvent }
        throw .failed(
          "\(name) closed the connection \(isCut ? "in mid-event" : "before it had answered").")
      }
      state.withLock { $0.decoder.append(bytes) }
    }
  }

  func close() async {
    await connection.close()
  }

  /// The same from where nobody can wait.
  func closeLater() {
    let connection = connection
    runtime.task { await connection.close() }
  }

  private func decoded() throws(ProviderError) -> WyomingEvent? {
    let result = state.withLock { state -> Result<WyomingEvent?, WyomingDecoder.Broken> in
      do throws(WyomingDecoder.Broken) {
        return .success(try state.decoder.next())
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let event): return event
    case .failure(let broken): throw .failed("\(name) sent \(broken.what).")
    }
  }
}

/// Where a Wyoming server is and how it is reached.
struct WyomingServer: Sendable {
  let dialer: any ByteDialer
  let runtime: any Runtime
  let host: String
  let port: Int

  var name: String { "The Wyoming server at \(host):\(port)" }
}
