import CLibWebSockets
import Glibc

/// Opens WebSockets over libwebsockets on the runtime's loop.
actor WebSocketClient {
  /// A longer path and query reaches the server as a broken request (measured: 1,900 pass, 3,000
  /// do not).
  static let maximumTargetBytes = 1900
  static let maximumHeaderBytes = 16 << 10
  private static let idle = SocketContext.IdlePolicy(ping: .seconds(5), hangUp: .seconds(12))
  /// Fields of a refusal that a caller may want.
  private static let responseHeaders: [(name: String, token: lws_token_indexes)] = [
    ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE), ("retry-after", WSI_TOKEN_HTTP_RETRY_AFTER),
    ("location", WSI_TOKEN_HTTP_LOCATION),
    ("www-authenticate", WSI_TOKEN_HTTP_WWW_AUTHENTICATE),
  ]

  nonisolated private let runtime: LoopRuntime
  private let authority: String?
  private let pin: CertificatePin?
  private var context: SocketContext?
  /// Attempts under way and open sockets, by the number libwebsockets knows them by.
  private var attempts: [UInt: WebSocketOpening] = [:]
  private var sockets: [UInt: LoopWebSocket] = [:]
  private var lastNumber: UInt = 0
  private var openings: [UInt: WebSocketOpening] = [:]
  private var lastOpening: UInt = 0
  private var isStopped = false

  init(runtime: LoopRuntime, authority: String?, pin: CertificatePin?) {
    self.runtime = runtime
    self.authority = authority
    self.pin = pin
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  func open(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> LoopWebSocket {
    let target = RequestTarget.encode(path: request.path, query: request.query)
    try Self.check(request, target)
    try makeContext()
    lastOpening += 1
    let number = lastOpening
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let opening = WebSocketOpening(number, request, target: target, continuation)
        openings[number] = opening
        start(number, opening, timeout)
      }
    } onCancel: {
      Task { await self.fail(number, .cancelled) }
    }
    openings[number] = nil
    return try result.get()
  }

  /// Closes every socket with 1001 and frees the context; nothing can be opened afterwards.
  func stop(grace: Duration) async {
    isStopped = true
    for number in openings.keys { fail(number, .cancelled) }
    let open = Array(sockets.values)
    for socket in open { await socket.close(code: 1001, reason: "the client is going away") }
    let timer = runtime.after(grace) {
      for socket in open { socket.assumeIsolated { $0.abort() } }
    }
    for socket in open { await socket.waitUntilClosed() }
    timer.cancel()
    await context?.destroy(on: runtime)
    context = nil
  }

  // MARK: Opening

  /// Refuses what cannot be sent as a request.
  static func check(_ request: WebSocketRequest, _ target: String) throws(TransportError) {
    let bytes = target.utf8.count
    guard bytes <= Self.maximumTargetBytes else {
      throw .broken(
        detail: "path and query of a WebSocket have \(bytes) bytes, "
          + "\(Self.maximumTargetBytes) at most can be sent: put long values into header fields")
    }
    guard request.headers.areWritable, request.headers.byteCount <= Self.maximumHeaderBytes else {
      throw .broken(
        detail: "the header fields of a WebSocket must be lines of visible characters, "
          + "\(Self.maximumHeaderBytes) bytes together at most")
    }
  }

  private func makeContext() throws(TransportError) {
    if isStopped { throw .cancelled }
    if context != nil { return }
    // libwebsockets takes a file that is not there without a word, and then trusts nobody.
    if let authority, access(authority, R_OK) != 0 {
      throw .unreachable(
        detail: "the certificate authorities in \(authority) cannot be read: "
          + String(cString: strerror(errno)))
    }
    let context = SocketContext(
      role: .client(authority: authority), idle: Self.idle, executor: runtime.loopExecutor,
      target: self)
    guard context.isReady else {
      // Not kept: connecting through it would crash, and the next attempt may find what it needs.
      Task { await context.destroy(on: runtime) }
      throw .unreachable(
        detail: "libwebsockets could not be set up"
          + (authority.map { " with the certificate authorities in \($0)" } ?? ""))
    }
    self.context = context
  }

  private func start(_ number: UInt, _ opening: WebSocketOpening, _ timeout: Duration) {
    if Task.isCancelled { return opening.finish(.failure(.cancelled)) }
    let peer = opening.peer
    opening.timer = runtime.after(timeout) { [weak self] in
      self?.assumeIsolated {
        $0.fail(number, .timedOut(detail: "\(peer) did not open the WebSocket in time"))
      }
    }
    Task { await resolve(opening) }
  }

  private func resolve(_ opening: WebSocketOpening) async {
    do throws(NameResolution.Failure) {
      opening.addresses = try await NameResolution.resolve(
        opening.request.host, on: runtime.loopExecutor)
      connectNext(opening)
    } catch {
      let detail = "\(opening.request.host) was not found: \(error.reason)"
      opening.finish(.failure(.unreachable(detail: detail)))
    }
  }

  /// Ends an opening from outside libwebsockets, and what it has begun there.
  private func fail(_ number: UInt, _ error: TransportError) {
    guard let opening = openings[number], !opening.isFinished else { return }
    opening.finish(.failure(error))
    if let socket = opening.socket {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
    }
  }

  private func connectNext(_ opening: WebSocketOpening) {
    guard !opening.isFinished, let context else { return opening.finish(.failure(.cancelled)) }
    guard !opening.addresses.isEmpty else {
      let detail =
        pin?.complaint(about: opening.peer)
        ?? "no connection to \(opening.peer): \(opening.failure)"
      return opening.finish(.failure(.unreachable(detail: detail)))
    }
    opening.address = opening.addresses.removeFirst()
    lastNumber += 1
    let number = lastNumber
    attempts[number] = opening
    opening.socket = connect(opening, number, context)
    // Without a connection object no call comes, or it has come already.
    if opening.socket == nil, attempts.removeValue(forKey: number) != nil {
      opening.failure = "libwebsockets could not begin it"
      connectNext(opening)
    }
  }

  private func connect(
    _ opening: WebSocketOpening, _ number: UInt, _ context: SocketContext
  ) -> OpaquePointer? {
    let request = opening.request
    let host = RequestTarget.authority(
      host: request.host, port: request.port, secure: request.secure)
    return opening.address.withCString { address in
      opening.target.withCString { path in
        host.withCString { host in
          "http/1.1".withCString { alpn in
            var info = lws_client_connect_info()
            // Without it libwebsockets throws the body of a refusal away.
            info.local_protocol_name = context.protocolName
            info.context = context.context
            info.vhost = context.host
            info.address = address
            info.port = Int32(request.port)
            info.path = path
            info.host = host
            info.origin = host
            info.alpn = alpn
            // Redirects would carry the token to another host.
            info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
            if request.secure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
            info.opaque_user_data = UnsafeMutableRawPointer(bitPattern: number)
            let socket = lws_client_connect_via_info(&info)
            if let socket { closeOnExecute(lws_get_socket_fd(socket)) }
            return socket
          }
        }
      }
    }
  }

  // MARK: Calls of libwebsockets

  fileprivate func handle(_ call: SocketCall) -> Int32? {
    let number = call.number
    if let socket = sockets[number] {
      let result = socket.assumeIsolated { [call = unsafeTransfer(call)] in
        $0.handle(call.value)
      }
      if call.reason == LWS_CALLBACK_CLIENT_CLOSED || call.reason == LWS_CALLBACK_WSI_DESTROY {
        socket.assumeIsolated { $0.finish() }
        sockets[number] = nil
      }
      return result
    }
    guard let opening = attempts[number] else { return nil }
    return handle(call, number, opening)
  }

  private func handle(_ call: SocketCall, _ number: UInt, _ opening: WebSocketOpening) -> Int32? {
    switch call.reason {
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
      // Without a pin OpenSSL's own verdict stands.
      return pin.map { $0.accepts(OpaquePointer(call.user)) ? 0 : 1 } ?? 0
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
      closeOnExecute(lws_get_socket_fd(call.socket))
      return addHeaders(opening.request.headers, call)
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
      // Comes before the upgrade is judged: the last look at a refusal.
      opening.response.status = Int(lws_http_client_http_response(call.socket))
      guard opening.response.status != 101 else { return 0 }
      readHeaders(call.socket, into: opening)
      _ = readBody(call.socket)
      return 0
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
      return readBody(call.socket)
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
      opening.response.body.append(contentsOf: call.bytes)
      return 0
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      return established(call, number, opening)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      let reason = String(decoding: call.bytes.prefix { $0 != 0 }, as: UTF8.self)
      ended(number, opening, reason.isEmpty ? "closed before it was established" : reason)
      return 0
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP, LWS_CALLBACK_WSI_DESTROY:
      ended(number, opening, "closed before the upgrade was answered")
      return 0
    default:
      return nil
    }
  }

  private func established(
    _ call: SocketCall, _ number: UInt, _ opening: WebSocketOpening
  ) -> Int32 {
    attempts[number] = nil
    // Given up in the meantime: the connection ends here.
    guard !opening.isFinished else { return -1 }
    let socket = LoopWebSocket(runtime: runtime)
    sockets[number] = socket
    socket.assumeIsolated { [call = unsafeTransfer(call)] in $0.opened(call.value.socket) }
    opening.finish(.success(socket))
    return 0
  }

  private func ended(_ number: UInt, _ opening: WebSocketOpening, _ reason: String) {
    attempts[number] = nil
    opening.socket = nil
    opening.failure = reason
    if opening.response.status != 0, opening.response.status != 101 {
      return opening.finish(.failure(.refused(opening.response)))
    }
    let number = opening.number
    // Not from within libwebsockets' call.
    runtime.after(.zero) { [weak self] in
      self?.assumeIsolated {
        if let opening = $0.openings[number] { $0.connectNext(opening) }
      }
    }
  }

  private func addHeaders(_ headers: HTTPHeaders, _ call: SocketCall) -> Int32 {
    guard let input = call.input else { return -1 }
    let position = input.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    let end = position.pointee! + call.length
    for (name, value) in headers.fields {
      let added = lws_add_http_header_by_name(
        call.socket, name + ":", value, Int32(value.utf8.count), position, end)
      if added != 0 { return -1 }
    }
    return 0
  }

  private func readHeaders(_ socket: OpaquePointer, into opening: WebSocketOpening) {
    for (name, token) in Self.responseHeaders {
      let length = Int(lws_hdr_total_length(socket, token))
      guard length > 0 else { continue }
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
        guard lws_hdr_copy(socket, buffer.baseAddress!, Int32(length + 1), token) > 0 else {
          return
        }
        opening.response.headers[name] = String(cString: buffer.baseAddress!)
      }
    }
  }

  private func readBody(_ socket: OpaquePointer) -> Int32 {
    let capacity = 16 << 10
    return withUnsafeTemporaryAllocation(
      of: CChar.self, capacity: capacity + OutgoingFrames.headroom
    ) { buffer in
      var start: UnsafeMutablePointer<CChar>? = buffer.baseAddress! + OutgoingFrames.headroom
      var count = Int32(capacity)
      return lws_http_client_read(socket, &start, &count) < 0 ? -1 : 0
    }
  }
}

extension WebSocketClient: SocketCallTarget {
  nonisolated func take(_ call: SocketCall) -> Int32? {
    assumeIsolated { [call = unsafeTransfer(call)] in $0.handle(call.value) }
  }
}
