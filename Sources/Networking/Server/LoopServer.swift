import CLibWebSockets

/// An HTTP/1.1 and WebSocket server for one handler, over libwebsockets on the runtime's loop.
///
/// Bounds: 5 MiB a request body (413 beyond), 24 KiB a request head (431 beyond; above 64 KiB the
/// connection ends without an answer), one request at a time on a connection (one that a peer sent behind it in the same piece ends with the connection,
/// unanswered), connections as configured (beyond, new ones are closed at
/// once and counted), 10 s without progress of a write. A WebSocket is pinged after 30 s and broken after 90 s of silence.
public actor LoopServer {
  public struct Configuration: Sendable {
    /// The numeric address to listen at.
    public var address: String
    /// The port to listen at; 0 = one the system chooses.
    public var port: Int
    /// PEM files of the certificate chain and its key; nil = plain HTTP.
    public var certificate: ServerCertificate?
    /// Names of header fields outside HTTP's own that the handler wants to see, in lower case.
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

  nonisolated let runtime: LoopRuntime
  let configuration: Configuration
  let handler: any HTTPHandler
  private(set) var context: SocketContext?
  var connections: [UInt: ServerConnection] = [:]
  private var lastNumber: UInt = 0
  /// The connection whose request was read last; 0 once it is known whether the peer sent more.
  var lastRead: UInt = 0
  private var openSockets = 0
  var isStopping = false
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var registration: ScheduledAction?

  /// The port listened at.
  public private(set) var port = 0
  public internal(set) var counters = Counters()

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

  func noteProgressOfStopping() {
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
  func number(of call: SocketCall) -> UInt {
    if connections[call.number] != nil { return call.number }
    lastNumber += 1
    counters.connections += 1
    connections[lastNumber] = ServerConnection(socket: call.socket)
    lws_set_opaque_user_data(call.socket, UnsafeMutableRawPointer(bitPattern: lastNumber))
    return lastNumber
  }

  func drop(_ number: UInt) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    switch connection.state {
    case .webSocket(let socket), .upgrading(let socket, _):
      socket.assumeIsolated { $0.finish() }
    default: break
    }
    noteProgressOfStopping()
  }
}

extension LoopServer: SocketCallTarget {
  nonisolated func take(_ call: SocketCall) -> Int32? {
    assumeIsolated { [call = unsafeTransfer(call)] in $0.handle(call.value) }
  }
}
