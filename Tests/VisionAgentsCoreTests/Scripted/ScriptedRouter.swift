import Networking
import SessionsModel
import Synchronization

/// A router whose answers a test writes; it notes every request.
final class ScriptedRouter: Transport {
  typealias Answer = @Sendable (HTTPRequest) throws(TransportError) -> HTTPResponse

  private struct State {
    var requests: [HTTPRequest] = []
    var answer: Answer
    /// Upgrades to refuse, oldest first.
    var refusals: [TransportError] = []
  }

  private let state: Mutex<State>
  private let sockets = Mailbox<ScriptedSocket>()

  init(answer: @escaping Answer = { _ in .json(200, RouterAnswers.session()) }) {
    state = Mutex(State(answer: answer))
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }

  func answer(_ answer: @escaping Answer) {
    state.withLock { $0.answer = answer }
  }

  func refuseNextUpgrade(_ error: TransportError) {
    state.withLock { $0.refusals.append(error) }
  }

  /// The next WebSocket the SDK opened.
  func nextSocket() async -> ScriptedSocket {
    guard let socket = await sockets.next() else { fatalError("a router's sockets never end") }
    return socket
  }

  func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answer
    }
    return try answer(request)
  }

  func stream(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponseStream {
    throw .unreachable(detail: "a scripted router streams nothing")
  }

  func openWebSocket(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> any WebSocketConnection {
    let refusal = state.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }
    if let refusal { throw refusal }
    let socket = ScriptedSocket(request)
    sockets.put(socket)
    return socket
  }
}

extension HTTPResponse {
  static func json(_ status: Int, _ body: JSONValue) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["X-Request-Id": "r-1"], body: body.serialized)
  }

  static func error(_ status: Int, type: String, code: String) -> HTTPResponse {
    json(
      status,
      ["error": ["message": "It failed.", "type": .string(type), "code": .string(code)]])
  }
}

/// Bodies as the router sends them.
enum RouterAnswers {
  static func session(
    id: String = "s1", callID: String = "", state: String = "live", title: String = "Order 1042"
  ) -> JSONValue {
    [
      "id": .string(id), "agent": "myagent", "agent_id": "a1", "user_id": "jlahey",
      "call_id": .string(callID), "call_type": "agent", "state": .string(state),
      "modality": "text", "created_at": "2026-10-01T00:00:00.5Z", "title": .string(title),
      "custom": ["ticket": "4721"],
    ]
  }

  static func response(id: String = "t1", requestID: String = "q1") -> JSONValue {
    [
      "id": .string(id), "session_id": "s1", "request_id": .string(requestID),
      "status": "running", "said": "Where is order 1042?", "created_at": "2026-10-01T00:00:00Z",
    ]
  }

  static func snapshot(seq: Int = 1, gap: Bool = false, stream: String = "x") -> JSONValue {
    [
      "type": "snapshot", "session": session(), "state": "idle", "skills": [],
      "seq": .int(seq), "stream": .string(stream), "gap": .bool(gap),
    ]
  }
}
