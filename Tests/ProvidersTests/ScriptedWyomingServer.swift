import Networking
import Synchronization

@testable import Providers

/// A Wyoming server in memory whose answers a test writes.
final class ScriptedWyomingServer: ByteDialer {
  /// What a server does when an event has come.
  enum Step: Sendable {
    case send(WyomingEvent)
    case bytes([UInt8])
    case close
  }

  private let runtime: any Runtime
  private let isUnreachable: Bool
  private let readsNothing: Bool
  private let script: @Sendable (WyomingEvent) -> [Step]
  private let log = Mutex((events: [WyomingEvent](), opened: 0, closed: 0))

  /// - Parameters:
  ///   - readsNothing: what is written is never taken, as behind a full socket.
  ///   - script: what follows an event.
  init(
    _ runtime: any Runtime, isUnreachable: Bool = false, readsNothing: Bool = false,
    _ script: @escaping @Sendable (WyomingEvent) -> [Step]
  ) {
    self.runtime = runtime
    self.isUnreachable = isUnreachable
    self.readsNothing = readsNothing
    self.script = script
  }

  var events: [WyomingEvent] { log.withLock { $0.events } }
  var open: Int { log.withLock { $0.opened - $0.closed } }

  func connect(to host: String, port: Int, timeout: Duration)
    async throws(TransportError) -> any ByteConnection
  {
    guard !isUnreachable else {
      throw .unreachable(detail: "no connection to \(host):\(port): connection refused")
    }
    log.withLock { $0.opened += 1 }
    return Connection(self)
  }

  private final class Connection: ByteConnection {
    private let server: ScriptedWyomingServer
    private let inbox = Inbox<[UInt8]>(capacity: 1_024)
    private let state = Mutex((decoder: WyomingDecoder(), isClosed: false))

    init(_ server: ScriptedWyomingServer) {
      self.server = server
    }

    func write(_ bytes: [UInt8]) async -> Bool {
      if server.readsNothing {
        // Ends with the test's runtime or the writer's task.
        try? await server.runtime.sleep(for: .seconds(100_000))
        return false
      }
      let events = state.withLock { state -> [WyomingEvent]? in
        guard !state.isClosed else { return nil }
        state.decoder.append(bytes)
        var events: [WyomingEvent] = []
        while let event = try? state.decoder.next() { events.append(event) }
        return events
      }
      guard let events else { return false }
      for event in events {
        server.log.withLock { $0.events.append(event) }
        for step in server.script(event) { await take(step) }
      }
      return true
    }

    private func take(_ step: Step) async {
      switch step {
      case .send(let event): _ = inbox.put(event.encoded)
      case .bytes(let bytes): _ = inbox.put(bytes)
      case .close: inbox.finish()
      }
    }

    func read() async -> [UInt8]? {
      // A cancelled reader sees the end.
      (try? await inbox.next()) ?? nil
    }

    func close() async {
      let isFirst = state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
      if isFirst { server.log.withLock { $0.closed += 1 } }
      inbox.finish()
    }
  }
}
