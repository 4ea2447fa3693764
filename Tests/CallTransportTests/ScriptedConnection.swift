import Networking
import Synchronization

/// A WebSocket whose network is a script: it can be stuffed, and plays events it was given.
final class ScriptedConnection: WebSocketConnection {
  private struct State {
    var sent: [WebSocketMessage] = []
    var unsentBytes = 0
    var events: [WebSocketEvent]
    var closes: [Int] = []
  }

  private let state: Mutex<State>

  init(events: [WebSocketEvent] = [], unsentBytes: Int = 0) {
    state = Mutex(State(unsentBytes: unsentBytes, events: events))
  }

  var sent: [WebSocketMessage] { state.withLock { $0.sent } }
  var closes: [Int] { state.withLock { $0.closes } }

  var unsentBytes: Int {
    get async { state.withLock { $0.unsentBytes } }
  }

  func setUnsentBytes(_ bytes: Int) {
    state.withLock { $0.unsentBytes = bytes }
  }

  func send(_ message: WebSocketMessage) async {
    state.withLock { $0.sent.append(message) }
  }

  func receive() async -> WebSocketEvent? {
    state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
  }

  func close(code: Int, reason: String) async {
    state.withLock { $0.closes.append(code) }
  }
}
