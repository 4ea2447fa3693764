import Networking
import SessionsModel

/// A client that speaks the wire itself.
extension RuleWorld {
  func socket(
    _ id: String, as user: String? = "jlahey", query: [(name: String, value: String)] = []
  ) async throws -> any WebSocketConnection {
    try await transport.openWebSocket(
      WebSocketRequest(
        host: origin.host, port: origin.port, path: "/v1/agents/sessions/\(id)/events",
        query: [("api_key", "your_api_key"), ("token", Self.token(user))] + query),
      timeout: .seconds(20))
  }

  struct Closed: Error {
    let code: Int
  }

  /// Frames up to and with the first of a type.
  ///
  /// - Throws: ``Closed`` when the socket closes before.
  func frames(
    _ socket: any WebSocketConnection, until type: FrameType
  ) async throws -> [Frame] {
    var frames: [Frame] = []
    while let event = await socket.receive() {
      switch event {
      case .message(.text(let text)):
        guard let frame = Frame(json: try JSONValue.parse(text)) else { continue }
        frames.append(frame)
        if frame.type == type { return frames }
      case .message: continue
      case .closed(let code, _): throw Closed(code: code)
      }
    }
    return frames
  }
}
