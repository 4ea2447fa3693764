import CCurl

/// HTTP requests over one libcurl multi handle on the runtime's loop; connections are reused.
///
/// Bounds: 128 connections at once (further requests wait in libcurl, within their time limit),
/// 5 MiB a whole body, 256 KiB unread of a streamed one.
actor CurlClient {
  private static let maximumConnections = 128

  nonisolated private let runtime: LoopRuntime
  private let authority: String?
  private let pin: CertificatePin?
  private var multi: OpaquePointer?
  private var sockets: CurlSockets?
  private var transfers: [UInt: CurlTransfer] = [:]
  private var lastNumber: UInt = 0
  private var timer: ScheduledAction?
  private var isStopped = false

  init(runtime: LoopRuntime, authority: String?, pin: CertificatePin?) {
    self.runtime = runtime
    self.authority = authority
    self.pin = pin
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    let number = try start(.whole, request, origin, timeout)
    defer { remove(number) }
    return try await head(of: number)
  }

  func stream(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponseStream {
    let number = try start(.streamed, request, origin, timeout)
    limit(number, timeout, "the head of a response")
    let head: HTTPResponse
    do {
      head = try await self.head(of: number)
    } catch {
      remove(number)
      throw error
    }
    // The transfer ends with the last copy of the stream.
    let lease = CurlLease { [weak self] in
      guard let self else { return }
      runtime.loopExecutor.perform { self.assumeIsolated { $0.remove(number) } }
    }
    return HTTPResponseStream(status: head.status, headers: head.headers) {
      () async throws(TransportError) -> [UInt8]? in
      _ = lease
      return try await self.nextPiece(of: number, timeout)
    }
  }

  /// Ends every transfer and frees libcurl's handle; nothing can be asked afterwards.
  func stop() {
    isStopped = true
    for number in transfers.keys {
      transfers[number]?.finish(.failure(.cancelled))
      remove(number)
    }
    timer?.cancel()
    if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }
    multi = nil
    sockets?.removeAll()
  }

  // MARK: Transfers

  private func start(
    _ kind: CurlTransfer.Kind, _ request: HTTPRequest, _ origin: Origin, _ timeout: Duration
  ) throws(TransportError) -> UInt {
    guard !isStopped, !Task.isCancelled else { throw .cancelled }
    guard request.headers.areWritable else {
      throw .broken(detail: "header fields must be lines of visible characters")
    }
    let authority = RequestTarget.authority(
      host: origin.host, port: origin.port, secure: origin.secure)
    lastNumber += 1
    guard let multi = makeMulti(),
      let transfer = CurlTransfer(number: lastNumber, kind: kind, peer: authority)
    else { throw .unreachable(detail: "libcurl could not be set up: out of memory") }
    let target = RequestTarget.encode(path: origin.basePath + request.path, query: request.query)
    transfer.prepare(
      request, url: "\(origin.secure ? "https" : "http")://\(authority)\(target)",
      timeout: timeout, authority: self.authority, pin: pin)
    transfers[lastNumber] = transfer
    curl_multi_add_handle(multi, transfer.handle)
    return lastNumber
  }

  /// Waits for the head of a streamed response or for a whole one.
  private func head(of number: UInt) async throws(TransportError) -> HTTPResponse {
    let result: Result<HTTPResponse, TransportError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard let transfer = transfers[number], !Task.isCancelled else {
          return continuation.resume(returning: .failure(.cancelled))
        }
        transfer.waitForHead(continuation)
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
    return try result.get()
  }

  private func nextPiece(of number: UInt, _ timeout: Duration) async throws(TransportError)
    -> [UInt8]?
  {
    limit(number, timeout, "the next bytes of a response")
    let result: Result<[UInt8]?, TransportError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard let transfer = transfers[number], !Task.isCancelled else {
          return continuation.resume(returning: .failure(.cancelled))
        }
        transfer.waitForPiece(continuation)
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
    transfers[number]?.timer?.cancel()
    return try result.get()
  }

  private func limit(_ number: UInt, _ timeout: Duration, _ what: String) {
    guard let transfer = transfers[number] else { return }
    let peer = transfer.peer
    transfer.timer?.cancel()
    transfer.timer = runtime.after(timeout) { [weak self] in
      self?.assumeIsolated {
        $0.transfers[number]?.finish(
          .failure(.timedOut(detail: "\(peer) did not send \(what) in time")))
      }
    }
  }

  private func cancel(_ number: UInt) {
    transfers[number]?.finish(.failure(.cancelled))
    remove(number)
  }

  private func remove(_ number: UInt) {
    guard let transfer = transfers.removeValue(forKey: number) else { return }
    transfer.finish(.failure(.cancelled))
    if let multi {
      curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.handle)
    }
  }

  // MARK: libcurl on the loop

  private static let prepareLibrary = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private func makeMulti() -> UnsafeMutableRawPointer? {
    if let multi { return UnsafeMutableRawPointer(multi) }
    guard Self.prepareLibrary == CURLE_OK, let made = curl_multi_init() else { return nil }
    multi = OpaquePointer(made)
    sockets = CurlSockets(loop: runtime.loopExecutor.loop) { [weak self] descriptor, ready in
      self?.assumeIsolated { $0.act(on: descriptor, ready) }
    }
    let me = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_long(made, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.maximumConnections)
    ccurl_multi_set_pointer(made, CURLMOPT_SOCKETDATA, me)
    ccurl_multi_set_watch_function(made) { _, socket, what, client, _ in
      let client = Unmanaged<CurlClient>.fromOpaque(client!).takeUnretainedValue()
      client.assumeIsolated { $0.sockets?.watch(socket, for: what) }
      return 0
    }
    ccurl_multi_set_pointer(made, CURLMOPT_TIMERDATA, me)
    ccurl_multi_set_timer_function(made) { _, milliseconds, client in
      let client = Unmanaged<CurlClient>.fromOpaque(client!).takeUnretainedValue()
      client.assumeIsolated { $0.setTimer(milliseconds) }
      return 0
    }
    return made
  }

  private func setTimer(_ milliseconds: Int) {
    timer?.cancel()
    timer = nil
    guard milliseconds >= 0, !isStopped else { return }
    timer = runtime.after(.milliseconds(milliseconds)) { [weak self] in
      self?.assumeIsolated { $0.act(on: CURL_SOCKET_TIMEOUT, 0) }
    }
  }

  private func act(on descriptor: curl_socket_t, _ ready: Int32) {
    guard let multi else { return }
    let raw = UnsafeMutableRawPointer(multi)
    var running: Int32 = 0
    curl_multi_socket_action(raw, descriptor, ready, &running)
    var left: Int32 = 0
    while let message = curl_multi_info_read(raw, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      var pointer: UnsafeMutableRawPointer?
      ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &pointer)
      let transfer = CurlTransfer.from(pointer)
      transfer.finish(transfer.result(of: ccurl_message_result(message)))
    }
  }
}

/// Calls back when the last holder has let go.
private final class CurlLease: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit {
    onEnd()
  }
}
