public import Networking
import SessionsModel

/// The network between the device and the router: one link for the events socket and for requests,
/// one for the media, each of which can be slow, or down. Frames of the events socket are noted.
public final class SimulatedNetwork: Transport {
  private let events: InMemoryTransport
  private let media: InMemoryTransport
  private let journal: Journal
  private let runtime: any Runtime

  init(
    handler: any HTTPHandler, runtime: any Runtime, conditions: LinkConditions, journal: Journal
  ) {
    events = InMemoryTransport(handler: handler, runtime: runtime, conditions: conditions)
    media = InMemoryTransport(handler: handler, runtime: runtime, conditions: conditions)
    self.journal = journal
    self.runtime = runtime
  }

  /// One of the two links.
  public enum Link: Sendable, CaseIterable {
    case events, media
  }

  public func setConditions(_ conditions: LinkConditions, of link: Link) async {
    journal.note(
      Journal.Source.world, "link \(link): \(conditions.state)", at: runtime.now.nanoseconds)
    await transport(of: link).setConditions(conditions)
  }

  /// Breaks every open socket at both ends.
  func breakConnections() async {
    await events.breakConnections()
    await media.breakConnections()
  }

  private func transport(of link: Link) -> InMemoryTransport {
    switch link {
    case .events: events
    case .media: media
    }
  }

  public func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    try await events.request(request, to: origin, timeout: timeout)
  }

  public func stream(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponseStream {
    try await events.stream(request, to: origin, timeout: timeout)
  }

  public func openWebSocket(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> any WebSocketConnection {
    guard request.path.hasSuffix("/events") else {
      return try await media.openWebSocket(request, timeout: timeout)
    }
    let socket = try await events.openWebSocket(request, timeout: timeout)
    return JournalSocket(socket, journal: journal, runtime: runtime)
  }
}

/// An events socket whose frames are noted.
private final class JournalSocket: WebSocketConnection {
  private let socket: any WebSocketConnection
  private let journal: Journal
  private let runtime: any Runtime

  init(_ socket: any WebSocketConnection, journal: Journal, runtime: any Runtime) {
    self.socket = socket
    self.journal = journal
    self.runtime = runtime
  }

  func send(_ message: WebSocketMessage) async {
    note(Journal.Source.sent, message)
    await socket.send(message)
  }

  var unsentBytes: Int {
    get async { await socket.unsentBytes }
  }

  func receive() async -> WebSocketEvent? {
    let event = await socket.receive()
    switch event {
    case .message(let message)?: note(Journal.Source.received, message)
    case .closed(let code, let reason)?:
      journal.note(
        Journal.Source.received, "closed \(code) \(reason)", at: runtime.now.nanoseconds)
    case nil: break
    }
    return event
  }

  func close(code: Int, reason: String) async {
    journal.note(Journal.Source.sent, "close \(code)", at: runtime.now.nanoseconds)
    await socket.close(code: code, reason: reason)
  }

  private func note(_ source: String, _ message: WebSocketMessage) {
    guard case .text(let text) = message else { return }
    // What is no frame is noted as it is.
    let frame = (try? JSONValue.parse(text)).flatMap(Frame.init(json:))
    journal.note(source, text, frame: frame, at: runtime.now.nanoseconds)
  }
}
