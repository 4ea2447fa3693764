/// The client's side of the network: requests, streamed responses and WebSockets.
///
/// Two implementations: ``LoopTransport`` over libwebsockets and libcurl, and an in-memory one that
/// calls an ``HTTPHandler`` directly, for simulations.
public protocol Transport: Sendable {
  /// Sends a request to `origin` and reads the whole response (5 MiB at most).
  func request(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponse

  /// Sends a request and hands over the response as it arrives, for server-sent events.
  func stream(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponseStream

  /// Opens a WebSocket.
  ///
  /// - Throws: `.refused` with the response when the server answered with anything but 101.
  func openWebSocket(_ request: WebSocketRequest, timeout: Duration)
    async throws(TransportError) -> any WebSocketConnection
}

/// Scheme, host and port of a server, and the path every request starts with.
public struct Origin: Sendable, Hashable {
  public var secure: Bool
  public var host: String
  public var port: Int
  /// Prefix of every path, such as `/v1`; empty or starting with a slash.
  public var basePath: String

  public init(secure: Bool = false, host: String, port: Int, basePath: String = "") {
    self.secure = secure
    self.host = host
    self.port = port
    self.basePath = basePath
  }
}

/// A response whose body arrives piece by piece.
public struct HTTPResponseStream: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  /// The body's next bytes; nil at its end. Cancelling the task ends the transfer.
  public var next: @Sendable () async throws(TransportError) -> [UInt8]?

  public init(
    status: Int, headers: HTTPHeaders,
    next: @escaping @Sendable () async throws(TransportError) -> [UInt8]?
  ) {
    self.status = status
    self.headers = headers
    self.next = next
  }
}

/// Why a request or a WebSocket failed on the way.
public enum TransportError: Error, Sendable {
  /// No connection: name not found, refused, unreachable, TLS. `detail` says which, with the address.
  case unreachable(detail: String)
  case timedOut(detail: String)
  /// The server answered the upgrade with something else than 101.
  case refused(HTTPResponse)
  /// The connection broke, or the response exceeded its bound.
  case broken(detail: String)
  case cancelled
}

extension TransportError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .unreachable(let detail), .timedOut(let detail), .broken(let detail): detail
    case .refused(let response): "the server refused the connection with HTTP \(response.status)"
    case .cancelled: "the request was cancelled"
    }
  }
}

/// The server's side: answers requests and takes WebSockets.
public protocol HTTPHandler: Sendable {
  /// Answers a request; called on the runtime's executor, never concurrently blocked by another.
  func respond(to request: HTTPRequest) async -> HTTPResponse

  /// What a server answers that did not hand a request over: a body or head that is too large.
  func refusal(status: Int, _ message: String) -> HTTPResponse

  /// Judges an upgrade before it is answered.
  ///
  /// Synchronous, because libwebsockets wants the verdict inside one callback. Called on the
  /// runtime's executor: an actor of that executor writes it `nonisolated` and enters itself by
  /// `assumeIsolated`. What needs waiting belongs into the accepted connection's closure.
  func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade
}

extension HTTPHandler {
  /// A line of text.
  public func refusal(status: Int, _ message: String) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["content-type": "text/plain; charset=utf-8"],
      body: Array((message + "\n").utf8))
  }
}

/// The judgement of an upgrade request.
public enum WebSocketUpgrade: Sendable {
  /// Accept; the closure owns the connection and the connection is closed when it returns.
  case accept(@Sendable (any WebSocketConnection) async -> Void)
  case refuse(HTTPResponse)
}
