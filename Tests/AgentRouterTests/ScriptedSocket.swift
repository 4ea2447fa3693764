import Networking
import SessionsModel
import Synchronization

/// The client's end of a socket that the router serves.
final class ScriptedSocket: WebSocketConnection {
  private struct State {
    var sent: [WebSocketMessage] = []
    var incoming: [WebSocketEvent] = []
    var waiting: CheckedContinuation<WebSocketEvent?, Never>?
    var closing: (code: Int, reason: String)?
    var isServed = false
  }

  private let state = Mutex(State())

  // MARK: The router's view

  func send(_ message: WebSocketMessage) async {
    state.withLock { state in
      if state.closing == nil { state.sent.append(message) }
    }
  }

  var unsentBytes: Int { get async { 0 } }

  func receive() async -> WebSocketEvent? {
    await withCheckedContinuation { continuation in
      let event: WebSocketEvent? = state.withLock { state in
        if !state.incoming.isEmpty { return state.incoming.removeFirst() }
        state.waiting = continuation
        return nil
      }
      if let event { continuation.resume(returning: event) }
    }
  }

  func close(code: Int, reason: String) async {
    let isFirst = state.withLock { state in
      defer { state.closing = state.closing ?? (code, reason) }
      return state.closing == nil
    }
    if isFirst { deliver(.closed(code: code, reason: reason)) }
  }

  // MARK: The client's view

  func deliver(_ event: WebSocketEvent) {
    let waiting: CheckedContinuation<WebSocketEvent?, Never>? = state.withLock { state in
      if let waiting = state.waiting {
        state.waiting = nil
        return waiting
      }
      state.incoming.append(event)
      return nil
    }
    waiting?.resume(returning: event)
  }

  func say(_ command: JSONValue) { deliver(.message(.text(command.serializedText))) }

  func hangUp(_ code: Int) { deliver(.closed(code: code, reason: "")) }

  /// Frames received so far.
  var frames: [Frame] {
    state.withLock(\.sent).compactMap { message in
      guard case .text(let text) = message else { return nil }
      // A message that is no frame is missing from the list, which the expectation shows.
      return (try? JSONValue.parse(text)).flatMap(Frame.init(json:))
    }
  }

  var texts: [WebSocketMessage] { state.withLock(\.sent) }

  /// The code the router closed with.
  var closeCode: Int? { state.withLock { $0.closing?.code } }

  func served() { state.withLock { $0.isServed = true } }

  /// Whether the router has let go of the socket.
  var isServed: Bool { state.withLock(\.isServed) }
}
