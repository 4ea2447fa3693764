import CLibWebSockets

/// A context of libwebsockets on our loop, with one virtual host. Used on the loop's thread only.
///
/// Contexts are not destroyed by letting go of this object: see ``destroy(on:)``.
final class SocketContext {
  /// What the virtual host is for.
  enum Role {
    case server(address: String, port: Int, certificate: ServerCertificate?)
    /// - Parameter authority: PEM file of the authorities trusted; nil = the system's.
    case client(authority: String?)
  }

  /// Pings after `ping`, breaks the connection at `hangUp` when nothing was heard.
  struct IdlePolicy {
    var ping: Duration
    var hangUp: Duration
  }

  /// Kept by libwebsockets for each WebSocket as long as it is open; a longer frame comes in
  /// several pieces.
  private static let receiveBufferBytes = 1 << 10
  /// What libwebsockets gives to the network at once; without it, as much as it receives.
  private static let sendBytes = 16 << 10
  /// Beyond this a head ends its connection without an answer. It is more than a server accepts, so
  /// that a head which is a little too large can still be told so.
  private static let headerBytes = 64 << 10
  private static let serviceBufferBytes: UInt32 = 64 << 10
  private static let keepAliveSeconds: Int32 = 60

  private let slot = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
  private let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
  private let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
  private let route = SocketRoute()
  private var strings: [UnsafeMutablePointer<CChar>] = []
  private var parts = clws_context_parts()
  private(set) var host: OpaquePointer?
  /// False when libwebsockets refused; the object must be destroyed all the same.
  private(set) var isReady = false
  private var hasBegunToEnd = false

  /// The name of the one protocol; it is not sent to the peer.
  var protocolName: UnsafePointer<CChar> { protocols[0].name }

  var context: OpaquePointer? { slot.pointee }

  /// Makes the context; see ``isReady``.
  init(
    role: Role, idle: IdlePolicy, executor: LoopExecutor, target: any SocketCallTarget
  ) {
    _ = Self.prepareLibrary
    slot.initialize(to: nil)
    protocols.initialize(repeating: lws_protocols(), count: 2)
    policy.initialize(to: lws_retry_bo_t())
    policy.pointee.secs_since_valid_ping = UInt16(idle.ping.components.seconds)
    policy.pointee.secs_since_valid_hangup = UInt16(idle.hangUp.components.seconds)
    protocols[0].name = keep("voice")
    protocols[0].callback = socketCallback
    protocols[0].rx_buffer_size = Self.receiveBufferBytes
    protocols[0].tx_packet_size = Self.sendBytes
    route.target = target
    isReady = makeContext(on: executor) && makeHost(role)
  }

  deinit {
    for string in strings { free(string) }
    slot.deallocate()
    protocols.deallocate()
    policy.deallocate()
  }

  /// Whether everything is freed.
  var isDestroyed: Bool { slot.pointee == nil }

  /// Closes every socket, without close frames, and frees the context.
  ///
  /// On a loop that is not libwebsockets' own it takes two calls: the first closes the sockets, the
  /// second frees the context, once the loop has let go of everything inside.
  ///
  /// - Returns: false when the loop did not let go within ``roundsToLetGo``: then the context's
  ///   memory stays, for freeing it would be worse.
  @discardableResult
  func destroy(on runtime: LoopRuntime) async -> Bool {
    beginDestroying()
    for _ in 0..<Self.roundsToLetGo where isOnLoop(of: runtime) {
      await runtime.pause(for: .milliseconds(1))
    }
    guard !isOnLoop(of: runtime) else {
      // Late calls of libwebsockets still find what they need.
      _ = Unmanaged.passRetained(self)
      return false
    }
    lws_context_destroy(slot.pointee)
    Unmanaged.passUnretained(route).release()
    return isDestroyed
  }

  /// The first of the two calls.
  ///
  /// It closes the descriptor of the event pipe, whose number may belong to another thread from
  /// then on; libwebsockets would close that number again when the loop goes on.
  func beginDestroying() {
    guard !hasBegunToEnd, slot.pointee != nil else { return }
    hasBegunToEnd = true
    lws_context_destroy(slot.pointee)
    parts.descriptor_slot?.pointee = -1
  }

  private func isOnLoop(of runtime: LoopRuntime) -> Bool {
    guard slot.pointee != nil, let timer = parts.timer else { return false }
    return clws_is_known(runtime.loopExecutor.loop, timer) != 0
  }

  /// Two are needed.
  private static let roundsToLetGo = 1000

  /// Once a process.
  ///
  /// With `clws_option_tls` a context asks OpenSSL for numbers under which libwebsockets keeps its
  /// data, for all contexts at once (4.1.6): handshakes under way lose their connection by it, and
  /// a client's OpenSSL context is never freed (670 KB). So only this one asks, and ends at once.
  private static let prepareLibrary: Void = {
    // Failures reach us by callbacks; the library's log would only repeat them to the terminal.
    lws_set_log_level(0, nil)
    var info = lws_context_creation_info()
    info.options = clws_option_explicit_vhosts() | clws_option_tls()
    info.gid = -1
    info.uid = -1
    lws_context_destroy(lws_create_context(&info))
  }()

  private func makeContext(on executor: LoopExecutor) -> Bool {
    var info = lws_context_creation_info()
    info.options = clws_option_foreign_uv_loop() | clws_option_explicit_vhosts()
    info.gid = -1
    info.uid = -1
    info.pt_serv_buf_size = Self.serviceBufferBytes
    info.max_http_header_data2 = UInt32(Self.headerBytes)
    info.pcontext = slot
    info.user = Unmanaged.passRetained(route).toOpaque()
    info.retry_and_idle_policy = UnsafePointer(policy)
    var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(executor.loop)]
    let before = clws_find_last_handles(executor.loop)
    slot.pointee = loops.withUnsafeMutableBufferPointer { loops in
      info.foreign_loops = loops.baseAddress
      return lws_create_context(&info)
    }
    guard slot.pointee != nil else { return false }
    parts = clws_find_parts(executor.loop, before)
    return true
  }

  private func makeHost(_ role: Role) -> Bool {
    var info = lws_context_creation_info()
    info.vhost_name = keep("voice")
    info.protocols = UnsafePointer(protocols)
    info.retry_and_idle_policy = UnsafePointer(policy)
    info.keepalive_timeout = Self.keepAliveSeconds
    // Never a proxy that only the environment knows of: an address without a port is none.
    info.http_proxy_address = keep("")
    switch role {
    case .client(let authority):
      // Our own timers rule; these only catch what they cannot see.
      info.timeout_secs = 60
      info.connect_timeout_secs = 60
      info.port = clws_port_no_listen()
      info.options = clws_option_tls()
      if let authority { info.client_ssl_ca_filepath = keep(authority) }
    case .server(let address, let port, let certificate):
      info.timeout_secs = 10
      info.port = Int32(port)
      info.iface = keep(address)
      info.options = clws_option_fail_if_unbound()
      if let certificate {
        info.options |= clws_option_tls()
        info.alpn = keep("http/1.1")
        info.ssl_cert_filepath = keep(certificate.chainPath)
        info.ssl_private_key_filepath = keep(certificate.keyPath)
      }
    }
    host = lws_create_vhost(context, &info)
    return host != nil
  }

  /// Copies a string for as long as the context lives.
  private func keep(_ text: String) -> UnsafePointer<CChar> {
    let copy = strdup(text)!
    strings.append(copy)
    return UnsafePointer(copy)
  }
}

extension Runtime {
  /// Suspends for `duration`, whether the task is cancelled or not.
  func pause(for duration: Duration) async {
    await withCheckedContinuation { continuation in
      after(duration) { continuation.resume() }
    }
  }
}
