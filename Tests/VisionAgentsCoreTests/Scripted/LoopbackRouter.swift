import Networking
import SessionsModel
import Synchronization

/// A small router over real sockets: it answers every question with the same words.
final class LoopbackRouter: HTTPHandler {
  private struct State {
    var paths: [String] = []
    var sockets: [any WebSocketConnection] = []
    var seq = 1
  }

  private let state = Mutex(State())

  /// Method and path of every request, in order.
  var paths: [String] { state.withLock { $0.paths } }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    state.withLock { $0.paths.append("\(request.method.rawValue) \(request.path)") }
    guard request.headers["Authorization"] == "Bearer token-1",
      request.queryValue("api_key") == "key"
    else { return .error(401, type: "authentication", code: "unauthenticated") }
    switch (request.method, request.path) {
    case (.post, "/v1/agents/sessions/query"):
      let more = !String(decoding: request.body, as: UTF8.self).contains("cursor")
      return .json(
        200,
        [
          "items": [RouterAnswers.session()], "has_more": .bool(more),
          "next_cursor": more ? "c" : nil,
        ])
    case (.post, "/v1/agents/sessions/s1/responses"):
      await answerQuestion()
      return .json(202, RouterAnswers.response())
    case (.post, "/v1/agents/sessions/s1/stop"):
      await send(["type": "left"])
      for socket in state.withLock({ $0.sockets }) {
        await socket.close(code: 1000, reason: "the session ended")
      }
      return HTTPResponse(status: 204)
    case (.delete, "/v1/agents/sessions/s1"), (_, "/v1/agents/sessions/s1/rewind"):
      return HTTPResponse(status: 204)
    default:
      return .json(request.path.hasSuffix("/sessions") ? 201 : 200, RouterAnswers.session())
    }
  }

  func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    guard request.queryValue("api_key") == "key", request.headers["Authorization"] != nil,
      request.path == "/v1/agents/sessions/s1/events"
    else { return .refuse(.error(404, type: "not_found", code: "session_not_found")) }
    return .accept { socket in
      await socket.send(.text(RouterAnswers.snapshot().serializedText))
      self.state.withLock { $0.sockets.append(socket) }
      while case .message(.text(let text))? = await socket.receive() {
        self.state.withLock { $0.paths.append(text) }
      }
    }
  }

  private func answerQuestion() async {
    await send(["type": "responding", "turn_id": "t1", "prompt": "Where is order 1042?"])
    await send(["type": "response_delta", "turn_id": "t1", "text": "On its way."])
    await send(["type": "responded", "turn_id": "t1", "text": "On its way."])
  }

  private func send(_ frame: SessionsModel.JSONValue) async {
    let (text, sockets) = state.withLock { state in
      state.seq += 1
      return (frame.with("seq", .int(state.seq)).serializedText, state.sockets)
    }
    for socket in sockets {
      await socket.send(.text(text))
    }
  }
}
