import CLibWebSockets
import Glibc

/// Opens TCP connections on the runtime's loop.
public actor LoopDialer: ByteDialer {
  nonisolated private let runtime: LoopRuntime

  nonisolated public var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  public init(runtime: LoopRuntime) {
    self.runtime = runtime
  }

  public func connect(to host: String, port: Int, timeout: Duration)
    async throws(TransportError) -> any ByteConnection
  {
    let peer = RequestTarget.authority(host: host, port: port, secure: false)
    let addresses: [String]
    do throws(NameResolution.Failure) {
      addresses = try await NameResolution.resolve(host, on: runtime.loopExecutor)
    } catch {
      throw .unreachable(detail: "\(host) was not found: \(error.reason)")
    }
    var failure = TransportError.unreachable(detail: "\(host) has no address")
    for address in addresses {
      guard !Task.isCancelled else { throw .cancelled }
      switch await ConnectAttempt.run(address, port, timeout, on: runtime) {
      case .success(let descriptor):
        return try await adopt(descriptor, peer)
      case .failure(let reason) where reason.code == UV_ECANCELED.rawValue:
        failure = .timedOut(detail: "\(peer) did not accept a connection in time")
      case .failure(let reason):
        let text = String(cString: uv_strerror(reason.code))
        failure = .unreachable(detail: "no connection to \(peer): \(text)")
      }
    }
    throw failure
  }

  private func adopt(_ descriptor: Int32, _ peer: String)
    async throws(TransportError) -> any ByteConnection
  {
    let connection = TCPConnection(runtime: runtime)
    guard await connection.open(descriptor) else {
      throw .unreachable(detail: "the connection to \(peer) cannot be used: out of descriptors")
    }
    guard !Task.isCancelled else {
      await connection.close()
      throw .cancelled
    }
    return connection
  }
}

/// One attempt to reach one address. Used on the loop's thread only.
private final class ConnectAttempt {
  struct Failure: Error {
    /// libuv's; `UV_ECANCELED` when the time was over.
    var code: Int32
  }

  private let socket = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
  private let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
  private let continuation: CheckedContinuation<Result<Int32, Failure>, Never>
  private var timer: ScheduledAction?
  private var isClosing = false

  private init(_ continuation: CheckedContinuation<Result<Int32, Failure>, Never>) {
    self.continuation = continuation
  }

  deinit {
    socket.deallocate()
    request.deallocate()
  }

  /// - Returns: a descriptor of the connected socket, which the caller has to close.
  static func run(
    _ address: String, _ port: Int, _ timeout: Duration, on runtime: LoopRuntime,
    isolation: isolated LoopDialer = #isolation
  ) async -> Result<Int32, Failure> {
    await withCheckedContinuation { continuation in
      _ = isolation
      ConnectAttempt(continuation).start(address, port, timeout, runtime)
    }
  }

  private func start(_ address: String, _ port: Int, _ timeout: Duration, _ runtime: LoopRuntime) {
    uv_tcp_init(runtime.loopExecutor.loop, socket)
    // libuv keeps the attempt until it has closed the socket.
    socket.pointee.data = Unmanaged.passRetained(self).toOpaque()
    uv_tcp_nodelay(socket, 1)
    var status = UV_EINVAL.rawValue
    var place = sockaddr_storage()
    withUnsafeMutablePointer(to: &place) { place in
      let place = UnsafeMutableRawPointer(place)
      let isKnown =
        uv_ip4_addr(address, Int32(port), place.assumingMemoryBound(to: sockaddr_in.self)) == 0
        || uv_ip6_addr(address, Int32(port), place.assumingMemoryBound(to: sockaddr_in6.self)) == 0
      guard isKnown else { return }
      status = uv_tcp_connect(
        request, socket, place.assumingMemoryBound(to: sockaddr.self)
      ) { request, status in
        let socket = request!.pointee.handle!.pointee.data!
        Unmanaged<ConnectAttempt>.fromOpaque(socket).takeUnretainedValue().connected(status)
      }
    }
    guard status == 0 else { return connected(status) }
    nonisolated(unsafe) let attempt = self
    // Runs on the loop's thread, as everything here does.
    timer = runtime.after(timeout) { attempt.close() }
  }

  private func connected(_ status: Int32) {
    timer?.cancel()
    timer = nil
    var result = Result<Int32, Failure>.failure(Failure(code: status))
    if status == 0 {
      var descriptor: uv_os_fd_t = -1
      uv_fileno(handle(socket), &descriptor)
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      result = copy >= 0 ? .success(copy) : .failure(Failure(code: -errno))
    }
    close()
    continuation.resume(returning: result)
  }

  /// Before the connection is there this ends the attempt: libuv reports `UV_ECANCELED`.
  private func close() {
    guard !isClosing else { return }
    isClosing = true
    uv_close(handle(socket)) { handle in
      Unmanaged<ConnectAttempt>.fromOpaque(handle!.pointee.data).release()
    }
  }
}
