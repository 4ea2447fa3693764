import CLibWebSockets

/// An HTTP/1.1 and WebSocket server for one handler, over libwebsockets on the runtime's loop.
///
/// Bounds: 5 MiB a request body (413 beyond), 24 KiB a request head (431 beyond; above 64 KiB the
/// connection ends without an answer), connections as configured (beyond, new ones are closed at
/// once and counted), 10 s without progress of a write. A WebSocket is pinged after 30 s and broken after 90 s of silence.
public actor LoopServer {
  public struct Configuration: Sendable {
    /// The numeric address to listen at.
    public var address: String
    /// The port to listen at; 0 = one the system chooses.
    public var port: Int
    /// PEM files of the certificate chain and its key; nil = plain HTTP.
    public var certificate: ServerCertificate?
    /// Names of header fields outside HTTP's own that the handler wants to see.
    public var customHeaders = [
      "x-api-key", "stream-auth-type", "x-stream-user-id", "x-customer-id", "x-request-id",
      "x-stream-client", "idempotency-key", "last-event-id", "access-control-request-method",
    ]
    /// Connections at once.
    public var maximumConnections = 4096
    public var pingInterval = Duration.seconds(30)
    public var hangUp = Duration.seconds(90)

    public init(address: String = "127.0.0.1", port: Int = 0) {
      self.address = address
      self.port = port
    }
  }

  public static let maximumBodyBytes = 5 << 20
  /// Holds a token of 16 KiB.
  public static let maximumHeadBytes = 24 << 10

  nonisolated private let runtime: LoopRuntime
  let configuration: Configuration
  private let handler: any HTTPHandler
  private(set) var context: SocketContext?
  private var connections: [UInt: ServerConnection] = [:]
  private var lastNumber: UInt = 0
  private var openSockets = 0
  private var isStopping = false
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var registration: ScheduledAction?

  /// The port listened at.
  public private(set) var port = 0
  public private(set) var counters = Counters()

  nonisolated public var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  /// Starts to listen.
  ///
  /// - Throws: ``Failure`` in a sentence for the person who started it.
  public static func start(
    _ configuration: Configuration = Configuration(), handler: any HTTPHandler,
    runtime: LoopRuntime
  ) async throws(Failure) -> LoopServer {
    let server = LoopServer(configuration, handler, runtime)
    try await server.listen()
    return server
  }

  private init(_ configuration: Configuration, _ handler: any HTTPHandler, _ runtime: LoopRuntime) {
    self.configuration = configuration
    self.handler = handler
    self.runtime = runtime
  }

  private func listen() async throws(Failure) {
    let address = configuration.address
    let wantedPort = configuration.port
    // libwebsockets does not tell why it cannot listen: ask the system first.
    switch probeListening(address: address, port: wantedPort) {
    case 0: break
    case EADDRINUSE: throw .addressInUse(address: address, port: wantedPort)
    case let code:
      throw .notListening(
        address: address, port: wantedPort, reason: String(cString: strerror(code)))
    }
    if let certificate = configuration.certificate {
      do throws(CertificateFailure) {
        try certificate.check()
      } catch {
        throw .notListening(address: address, port: wantedPort, reason: "\(error)")
      }
    }
    let context = SocketContext(
      role: .server(
        address: address, port: wantedPort, certificate: configuration.certificate),
      idle: SocketContext.IdlePolicy(
        ping: configuration.pingInterval, hangUp: configuration.hangUp),
      executor: runtime.loopExecutor, target: self)
    guard context.isReady else {
      await context.destroy(on: runtime)
      throw .notListening(
        address: address, port: wantedPort,
        reason: "libwebsockets refused the address, the port or the certificate")
    }
    self.context = context
    port = Int(lws_get_vhost_listen_port(context.host))
    registration = runtime.whenStopping { await self.stop() }
  }

  /// Closes every WebSocket with 1001, lets answers under way finish, and frees the port.
  ///
  /// - Parameter grace: how long peers may take before their connections are cut.
  public func stop(grace: Duration = .seconds(2)) async {
    guard !isStopping else { return }
    isStopping = true
    for connection in connections.values {
      guard case .webSocket(let socket) = connection.state else { continue }
      await socket.close(code: 1001, reason: "the server is going away")
    }
    let timer = runtime.after(grace) { [weak self] in self?.assumeIsolated { $0.wakeIdleWaiters() }
    }
    if isBusy { await withCheckedContinuation { idleWaiters.append($0) } }
    timer.cancel()
    await context?.destroy(on: runtime)
    context = nil
    connections = [:]
    registration?.cancel()
  }

  private var isBusy: Bool {
    connections.values.contains { if case .idle = $0.state { false } else { true } }
  }

  private func wakeIdleWaiters() {
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  private func noteProgressOfStopping() {
    if isStopping, !isBusy { wakeIdleWaiters() }
  }

  // MARK: Calls of libwebsockets

  fileprivate func handle(_ call: SocketCall) -> Int32? {
    switch call.reason {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
      guard openSockets < configuration.maximumConnections, !isStopping else {
        counters.refusedConnections += 1
        return 1
      }
      // The call's input is the socket itself.
      closeOnExecute(Int32(truncatingIfNeeded: Int(bitPattern: call.input)))
      return 0
    case LWS_CALLBACK_WSI_CREATE:
      openSockets += 1
      return 0
    case LWS_CALLBACK_WSI_DESTROY:
      openSockets -= 1
      drop(call.number)
      return 0
    case LWS_CALLBACK_HTTP:
      return requestArrived(call)
    case LWS_CALLBACK_HTTP_BODY:
      return bodyArrived(call)
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
      return bodyEnded(call)
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return write(call)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return judgeUpgrade(call)
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return 0
    case LWS_CALLBACK_CLOSED_HTTP:
      drop(call.number)
      return 0
    case LWS_CALLBACK_ESTABLISHED:
      return upgraded(call)
    default:
      guard case .webSocket(let socket)? = connections[call.number]?.state else { return nil }
      let result = socket.assumeIsolated { [call = unsafeTransfer(call)] in $0.handle(call.value) }
      if call.reason == LWS_CALLBACK_CLOSED { drop(call.number) }
      return result
    }
  }

  /// The connection of a call, made at its first request.
  private func number(of call: SocketCall) -> UInt {
    if connections[call.number] != nil { return call.number }
    lastNumber += 1
    counters.connections += 1
    connections[lastNumber] = ServerConnection(socket: call.socket)
    lws_set_opaque_user_data(call.socket, UnsafeMutableRawPointer(bitPattern: lastNumber))
    return lastNumber
  }

  private func drop(_ number: UInt) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    switch connection.state {
    case .webSocket(let socket), .upgrading(let socket, _):
      socket.assumeIsolated { $0.finish() }
    default: break
    }
    noteProgressOfStopping()
  }

  // MARK: Requests

  private func requestArrived(_ call: SocketCall) -> Int32 {
    let number = number(of: call)
    let reader = ServerRequestReader(socket: call.socket)
    counters.requests += 1
    connections[number]?.requestNumber += 1
    connections[number]?.isHead = reader.isHead
    guard let request = reader.read(customHeaders: configuration.customHeaders) else {
      return refuse(number, status: 501, "This server does not know the request's method.")
    }
    guard request.headBytes <= Self.maximumHeadBytes else {
      counters.tooLargeHeads += 1
      return refuse(number, status: 431, Self.tooLargeHead(request.headBytes))
    }
    guard let length = reader.contentLength, !reader.hasTransferEncoding else {
      return refuse(number, status: 411, "A request body needs a content-length that is a number.")
    }
    guard length <= Self.maximumBodyBytes else {
      counters.tooLargeBodies += 1
      return refuse(
        number, status: 413,
        "The body has \(length) bytes; at most \(Self.maximumBodyBytes) are accepted.")
    }
    guard length > 0 else {
      answer(number, request)
      return 0
    }
    if reader.expectsContinue, !writeContinue(to: call.socket) { return -1 }
    connections[number]?.state = .readingBody(request)
    return 0
  }

  private func bodyArrived(_ call: SocketCall) -> Int32 {
    if call.length == 0 { return 0 }
    switch connections[call.number]?.state {
    case .readingBody(var request):
      // The array must have one owner while it grows.
      connections[call.number]?.state = .idle
      request.body.append(contentsOf: call.bytes)
      guard request.body.count <= Self.maximumBodyBytes else { return -1 }
      connections[call.number]?.state = .readingBody(request)
      return 0
    case .discarding:
      return 0
    default:
      // Bytes where no body was announced.
      return -1
    }
  }

  private func bodyEnded(_ call: SocketCall) -> Int32 {
    switch connections[call.number]?.state {
    case .readingBody(let request):
      answer(call.number, request)
      return 0
    case .discarding:
      return -1
    default:
      return 0
    }
  }

  private func writeContinue(to socket: OpaquePointer) -> Bool {
    var bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    bytes = bytes.withUnsafeBufferPointer { withHeadroom($0) }
    let count = bytes.count - OutgoingFrames.headroom
    return bytes.withUnsafeMutableBufferPointer {
      lws_write(socket, $0.baseAddress! + OutgoingFrames.headroom, count, LWS_WRITE_HTTP_HEADERS)
    } >= 0
  }

  /// Asks the handler; the transaction stays open until it answers.
  private func answer(_ number: UInt, _ request: HTTPRequest) {
    guard let connection = connections[number] else { return }
    connections[number]?.state = .answering
    lws_set_timeout(connection.socket, NO_PENDING_TIMEOUT, 0)
    let requestNumber = connection.requestNumber
    Task {
      let response = await handler.respond(to: request)
      answered(number, requestNumber, response)
    }
  }

  private func answered(_ number: UInt, _ requestNumber: UInt64, _ response: HTTPResponse) {
    guard let connection = connections[number], connection.requestNumber == requestNumber,
      case .answering = connection.state
    else {
      counters.droppedResponses += 1
      return
    }
    connections[number]?.closesAfterResponse = isStopping
    connections[number]?.state = .writing(
      ResponseWriter(response, omitsBody: connection.isHead, closes: isStopping))
    lws_callback_on_writable(connection.socket)
  }

  /// Answers before the body is read. The body is thrown away, because closing with unread bytes
  /// would reset the connection and the peer might never see the answer.
  private func refuse(_ number: UInt, status: Int, _ message: String) -> Int32 {
    let response = handler.refusal(status: status, message)
    connections[number]?.closesAfterResponse = true
    connections[number]?.state = .discarding(ResponseWriter(response, closes: true))
    lws_callback_on_writable(connections[number]?.socket)
    return 0
  }

  private func write(_ call: SocketCall) -> Int32 {
    switch connections[call.number]?.state {
    case .writing(var writer):
      connections[call.number]?.state = .idle
      guard writer.write(to: call.socket) else { return -1 }
      guard writer.isFinished else {
        connections[call.number]?.state = .writing(writer)
        lws_set_timeout(call.socket, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeDeadlineSeconds)
        lws_callback_on_writable(call.socket)
        return 0
      }
      let closes = connections[call.number]?.closesAfterResponse ?? true
      let result: Int32 = lws_http_transaction_completed(call.socket) != 0 || closes ? -1 : 0
      noteProgressOfStopping()
      return result
    case .discarding(var writer):
      if !writer.isFinished, !writer.writeAll(to: call.socket) { return -1 }
      connections[call.number]?.state = .discarding(writer)
      lws_set_timeout(call.socket, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeDeadlineSeconds)
      return 0
    default:
      return 0
    }
  }

  private static let writeDeadlineSeconds: Int32 = 10

  // MARK: WebSockets

  private func judgeUpgrade(_ call: SocketCall) -> Int32 {
    let number = number(of: call)
    counters.requests += 1
    connections[number]?.requestNumber += 1
    let reader = ServerRequestReader(socket: call.socket)
    let request = reader.read(customHeaders: configuration.customHeaders)
    guard let request, reader.wantsWebSocket, !isStopping else {
      return refuseUpgrade(call, HTTPResponse(status: isStopping ? 503 : 501))
    }
    guard request.headBytes <= Self.maximumHeadBytes else {
      counters.tooLargeHeads += 1
      let message = Self.tooLargeHead(request.headBytes)
      return refuseUpgrade(call, handler.refusal(status: 431, message))
    }
    switch handler.upgrade(request) {
    case .refuse(let response):
      return refuseUpgrade(call, response)
    case .accept(let serve):
      counters.upgrades += 1
      connections[number]?.state = .upgrading(LoopWebSocket(runtime: runtime), serve)
      return 0
    }
  }

  private static func tooLargeHead(_ bytes: Int) -> String {
    "The request's head has at least \(bytes) bytes; at most \(maximumHeadBytes) are accepted."
  }

  private func refuseUpgrade(_ call: SocketCall, _ response: HTTPResponse) -> Int32 {
    var writer = ResponseWriter(response)
    // 1 = answered here; libwebsockets ends the transaction.
    return writer.writeAll(to: call.socket) ? 1 : -1
  }

  private func upgraded(_ call: SocketCall) -> Int32 {
    guard case .upgrading(let socket, let serve)? = connections[call.number]?.state else {
      return -1
    }
    connections[call.number]?.state = .webSocket(socket)
    socket.assumeIsolated { [call = unsafeTransfer(call)] in $0.opened(call.value.socket) }
    Task {
      await serve(socket)
      await socket.close(code: 1000, reason: "")
    }
    return 0
  }
}

extension LoopServer: SocketCallTarget {
  nonisolated func take(_ call: SocketCall) -> Int32? {
    assumeIsolated { [call = unsafeTransfer(call)] in $0.handle(call.value) }
  }
}
