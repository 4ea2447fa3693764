/// One open WebSocket, either end, real or in memory.
///
/// Bounds: a sender suspends above 1 MiB unsent and goes on below 128 KiB; a receiver's peer is
/// paused above 1 MiB unread. A message is 5 MiB at most (contract part 1, 1.5).
public protocol WebSocketConnection: AnyObject, Sendable {
  /// Sends a message; suspends while too much is unsent; does nothing once closed.
  func send(_ message: WebSocketMessage) async

  /// Gives a message to the network at once, where nothing waits before it and nobody has to wait.
  ///
  /// - Returns: false when nothing was done: then the message has to be sent.
  func sendNow(_ message: PreparedMessage) -> Bool

  /// Bytes accepted by `send` and not yet given to the network.
  var unsentBytes: Int { get async }

  /// The next thing that happened; nil after `.closed` has been delivered.
  func receive() async -> WebSocketEvent?

  /// Closes with a code once everything queued is sent. Codes that mean something to our peers
  /// are 1000, 1001 or 4000...4999: libwebsockets rewrites 1012...2999 on receipt.
  func close(code: Int, reason: String) async
}

extension WebSocketConnection {
  public func sendNow(_ message: PreparedMessage) -> Bool { false }
}

/// A data message of a WebSocket.
public enum WebSocketMessage: Sendable, Equatable {
  case text(String)
  case binary([UInt8])
}

/// What a WebSocket's reader sees.
public enum WebSocketEvent: Sendable, Equatable {
  case message(WebSocketMessage)
  /// The end; 1005 = closed without a code, 1006 = the connection broke.
  case closed(code: Int, reason: String)
}

/// A WebSocket to be opened.
public struct WebSocketRequest: Sendable {
  /// `ws://` or `wss://` host, port and path are in `url`'s parts.
  public var host: String
  public var port: Int
  public var secure: Bool
  public var path: String
  public var query: [(name: String, value: String)]
  public var headers: HTTPHeaders

  public init(
    host: String, port: Int, secure: Bool = false, path: String,
    query: [(name: String, value: String)] = [], headers: HTTPHeaders = HTTPHeaders()
  ) {
    self.host = host
    self.port = port
    self.secure = secure
    self.path = path
    self.query = query
    self.headers = headers
  }
}
