/// What the server knows of one connection: its request under way, or its WebSocket.
///
/// A value per connection, changed only by the server on the loop.
struct ServerConnection {
  enum State {
    /// Between requests.
    case idle
    /// The head is in, the body is not.
    case readingBody(HTTPRequest)
    /// The handler thinks.
    case answering
    case writing(ResponseWriter)
    /// Answered before the body was read, which is thrown away; the connection ends after it.
    case discarding(ResponseWriter)
    /// Ends as soon as libwebsockets calls: no request is read any more.
    case closing
    case upgrading(LoopWebSocket, @Sendable (any WebSocketConnection) async -> Void)
    case webSocket(LoopWebSocket)
  }

  let socket: OpaquePointer
  var state = State.idle
  /// Counts requests, so that a late answer finds its own or nothing.
  var requestNumber: UInt64 = 0
  var isHead = false
  var closesAfterResponse = false
  /// Nothing is read from the connection until the answer is written.
  var isInputHeld = false
}
