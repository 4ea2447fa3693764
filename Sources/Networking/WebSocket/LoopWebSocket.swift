import CLibWebSockets
import Glibc

/// One WebSocket over libwebsockets, either end.
actor LoopWebSocket: WebSocketConnection {
  private static let highWaterBytes = 1 << 20
  private static let lowWaterBytes = 128 << 10
  /// A frame that cannot be written for this long breaks the connection (contract, 1.5).
  private static let writeDeadline = Duration.seconds(10)
  /// How often a paused reader tells libwebsockets that the peer is not silent: shorter than any
  /// ping interval, because pongs are not read while the reader is paused.
  private static let pausedRenewal = Duration.seconds(1)
  /// The longest reason that fits a close frame (RFC 6455, 5.5).
  private static let maximumReasonBytes = 123

  nonisolated private let runtime: LoopRuntime
  private var socket: OpaquePointer?
  private var outgoing = OutgoingFrames()
  private var incoming = IncomingMessages()
  private var senders: [CheckedContinuation<Void, Never>] = []
  private var reader: (number: UInt64, continuation: CheckedContinuation<WebSocketEvent?, Never>)?
  private var readerNumber: UInt64 = 0
  private var isPaused = false
  private var isBound = false
  private var takesPrepared = false
  private var ownClose: (code: Int, reason: String)?
  private var peerClose: (code: Int, reason: String)?
  private var isClosed = false
  private var lastProgress = MonotonicInstant(nanoseconds: 0)
  private var deadline: ScheduledAction?
  private var renewal: ScheduledAction?
  private var closeWaiters: [CheckedContinuation<Void, Never>] = []

  init(runtime: LoopRuntime) {
    self.runtime = runtime
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  // MARK: WebSocketConnection

  var unsentBytes: Int { outgoing.unsentBytes }

  func send(_ message: WebSocketMessage) async {
    while outgoing.unsentBytes > Self.highWaterBytes, !isClosed, ownClose == nil {
      await withCheckedContinuation { senders.append($0) }
    }
    guard let socket, ownClose == nil else { return }
    if outgoing.isEmpty {
      if isBound, lws_partial_buffered(socket) == 0, let frame = OutgoingFrames.single(message) {
        writeNow(frame, to: socket)
        return
      }
      lastProgress = runtime.now
    }
    outgoing.append(message)
    lws_callback_on_writable(socket)
    watchProgress()
  }

  /// Writes at once where nothing waits: asking libwebsockets for a call first would cost two
  /// system calls a frame. What the network does not take, libwebsockets keeps.
  private func writeNow(_ frame: OutgoingFrames.Frame, to socket: OpaquePointer) {
    var frame = frame
    let count = frame.payloadCount
    let written = frame.bytes.withUnsafeMutableBufferPointer {
      lws_write(socket, $0.baseAddress! + OutgoingFrames.headroom, count, frame.kind)
    }
    if written < 0 { abort() }
  }

  nonisolated func sendNow(_ message: PreparedMessage) -> Bool {
    guard runtime.loopExecutor.isCurrent else { return false }
    return assumeIsolated { $0.writePrepared(message.frame) }
  }

  /// Past libwebsockets, which would copy and frame it for each socket anew (twice the CPU of the
  /// write itself); what the network does not take at once is kept by libwebsockets again.
  private func writePrepared(_ frame: [UInt8]) -> Bool {
    guard takesPrepared, isBound, outgoing.isEmpty, let socket, ownClose == nil, peerClose == nil,
      lws_partial_buffered(socket) == 0
    else { return false }
    return frame.withUnsafeBytes { bytes in
      let written = Glibc.send(
        lws_get_socket_fd(socket), bytes.baseAddress, bytes.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      // What is wrong beyond a full buffer, libwebsockets finds out by its own write.
      guard written > 0 else { return false }
      guard written < bytes.count else { return true }
      // The kind of write to which libwebsockets adds no head. It buffers whatever is left.
      var rest = withHeadroom(
        UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[written...]))
      let count = rest.count - OutgoingFrames.headroom
      let taken = rest.withUnsafeMutableBufferPointer {
        lws_write(socket, $0.baseAddress! + OutgoingFrames.headroom, count, LWS_WRITE_HTTP)
      }
      if taken < 0 { abort() }
      return true
    }
  }

  func receive() async -> WebSocketEvent? {
    readerNumber += 1
    let number = readerNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let event = nextEvent() {
          continuation.resume(returning: event)
        } else if isClosed || Task.isCancelled {
          continuation.resume(returning: nil)
        } else {
          precondition(reader == nil, "a WebSocket has one reader at a time")
          reader = (number, continuation)
        }
      }
    } onCancel: {
      Task { await self.cancelReader(number) }
    }
  }

  func close(code: Int, reason: String) async {
    startClose(code: code, reason: reason)
  }

  // MARK: For the owner

  /// The upgrade succeeded.
  ///
  /// - Parameter takesPrepared: whether prepared frames may go to the network as they are: for a
  ///   server without TLS.
  func opened(_ socket: OpaquePointer, takesPrepared: Bool = false) {
    self.socket = socket
    self.takesPrepared = takesPrepared
    // Not within the call that opens it: libwebsockets has not finished the handshake there.
    runtime.after(.zero) { [weak self] in self?.assumeIsolated { $0.isBound = true } }
    if ownClose != nil { lws_callback_on_writable(socket) }
  }

  /// Breaks the connection without a close frame.
  func abort() {
    guard let socket else { return }
    lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
  }

  /// Suspends until the connection is gone.
  func waitUntilClosed() async {
    if isClosed { return }
    await withCheckedContinuation { closeWaiters.append($0) }
  }

  /// Ends the connection for our side; called by the owner when libwebsockets has let go of it.
  func finish() {
    guard !isClosed else { return }
    isClosed = true
    socket = nil
    outgoing.removeAll()
    deadline?.cancel()
    renewal?.cancel()
    let (code, reason) = peerClose ?? ownClose ?? (1006, "")
    deliver(.closed(code: code, reason: reason))
    wakeSenders()
    for waiter in closeWaiters { waiter.resume() }
    closeWaiters = []
  }

  func handle(_ call: SocketCall) -> Int32 {
    switch call.reason {
    case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
      receive(call)
    case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
      return write(to: call.socket)
    case LWS_CALLBACK_TIMER:
      // See `write(to:)`.
      return -1
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      let bytes = call.bytes
      let code = bytes.count < 2 ? 1005 : Int(bytes[0]) << 8 | Int(bytes[1])
      peerClose = (code, String(decoding: bytes.dropFirst(2), as: UTF8.self))
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED:
      finish()
    default:
      break
    }
    return 0
  }

  // MARK: Receiving

  private func receive(_ call: SocketCall) {
    // What arrives after our own close is not read any more.
    guard ownClose == nil else { return }
    do {
      let isEnd =
        lws_remaining_packet_payload(call.socket) == 0
        && lws_is_final_fragment(call.socket) != 0
      let message = try incoming.take(
        call.bytes, isEnd: isEnd, isBinary: lws_frame_is_binary(call.socket) != 0)
      if let message { deliver(.message(message)) }
    } catch {
      startClose(code: error.closeCode, reason: error.reason)
    }
  }

  private func nextEvent() -> WebSocketEvent? {
    guard let event = incoming.popFirst() else { return nil }
    if isPaused, incoming.unreadBytes < Self.lowWaterBytes { pause(false) }
    return event
  }

  private func deliver(_ event: WebSocketEvent) {
    if let reader {
      self.reader = nil
      reader.continuation.resume(returning: event)
      return
    }
    incoming.append(event)
    if incoming.unreadBytes > Self.highWaterBytes, !isPaused, !isClosed { pause(true) }
  }

  private func pause(_ pause: Bool) {
    guard let socket else { return }
    isPaused = pause
    renewal?.cancel()
    if pause { renewValidity() }
    lws_rx_flow_control(socket, pause ? 0 : 1)
  }

  private func renewValidity() {
    guard let socket, isPaused else { return }
    lws_validity_confirmed(socket)
    renewal = runtime.after(Self.pausedRenewal) { [weak self] in
      self?.assumeIsolated { $0.renewValidity() }
    }
  }

  private func cancelReader(_ number: UInt64) {
    guard let reader, reader.number == number else { return }
    self.reader = nil
    reader.continuation.resume(returning: nil)
  }

  // MARK: Sending

  /// Writes one frame: libwebsockets wants one write for each writable call.
  private func write(to socket: OpaquePointer) -> Int32 {
    guard var frame = outgoing.popFirst() else {
      if let ownClose { writeClose(ownClose, to: socket) }
      return 0
    }
    let count = frame.payloadCount
    let written = frame.bytes.withUnsafeMutableBufferPointer {
      lws_write(socket, $0.baseAddress! + OutgoingFrames.headroom, count, frame.kind)
    }
    if written < 0 { return -1 }
    lastProgress = runtime.now
    if outgoing.unsentBytes < Self.lowWaterBytes { wakeSenders() }
    if !outgoing.isEmpty || ownClose != nil { lws_callback_on_writable(socket) }
    return 0
  }

  /// Debian's build closes a connection on libuv twice when -1 is returned from here, and the close
  /// frame is lost. Returned from a timer it leaves.
  private func writeClose(_ close: (code: Int, reason: String), to socket: OpaquePointer) {
    var reason = Array(close.reason.utf8)
    lws_close_reason(
      socket, lws_close_status(rawValue: UInt32(close.code)), &reason, reason.count)
    lws_set_timer_usecs(socket, 1)
  }

  private func startClose(code: Int, reason: String) {
    guard !isClosed, ownClose == nil else { return }
    var reason = reason
    while reason.utf8.count > Self.maximumReasonBytes { reason.removeLast() }
    ownClose = (code, reason)
    wakeSenders()
    guard let socket else { return }
    if outgoing.isEmpty { lastProgress = runtime.now }
    if isPaused { pause(false) }
    lws_callback_on_writable(socket)
    watchProgress()
  }

  private func wakeSenders() {
    let waiting = senders
    senders = []
    for sender in waiting { sender.resume() }
  }

  /// Breaks the connection when something is to be written and nothing was for too long.
  private func watchProgress() {
    guard deadline == nil else { return }
    let rest = Self.writeDeadline - (runtime.now - lastProgress)
    deadline = runtime.after(rest) { [weak self] in
      self?.assumeIsolated { $0.checkProgress() }
    }
  }

  private func checkProgress() {
    deadline = nil
    guard !isClosed, !outgoing.isEmpty || ownClose != nil else { return }
    if runtime.now - lastProgress >= Self.writeDeadline {
      abort()
    } else {
      watchProgress()
    }
  }
}
