import CLibWebSockets
import Glibc

/// One look-up of a host's addresses, on libuv's worker threads: libwebsockets' own would block
/// the loop.
final class NameResolution {
  struct Failure: Error {
    var reason: String
  }

  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
  private let continuation: CheckedContinuation<Result<[String], Failure>, Never>

  private init(_ continuation: CheckedContinuation<Result<[String], Failure>, Never>) {
    self.continuation = continuation
  }

  deinit {
    request.deallocate()
  }

  /// The numeric addresses of `host`, in the system's order. Called on the loop's thread.
  static func resolve(_ host: String, on executor: LoopExecutor) async throws(Failure) -> [String] {
    if isNumeric(host) { return [host] }
    let result = await withCheckedContinuation { continuation in
      NameResolution(continuation).start(host, executor.loop)
    }
    return try result.get()
  }

  private static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
  }

  private func start(_ host: String, _ loop: UnsafeMutablePointer<uv_loop_t>) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    let status = uv_getaddrinfo(loop, request, nameResolved, host, nil, &hints)
    if status != 0 { nameResolved(request, status, nil) }
  }

  fileprivate func finish(_ status: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
    guard status == 0 else {
      let reason = String(cString: uv_strerror(status))
      continuation.resume(returning: .failure(Failure(reason: reason)))
      return
    }
    var addresses: [String] = []
    var next = first
    while let info = next {
      if let text = Self.text(of: info.pointee), !addresses.contains(text) {
        addresses.append(text)
      }
      next = info.pointee.ai_next
    }
    uv_freeaddrinfo(first)
    continuation.resume(returning: .success(addresses))
  }

  private static func text(of info: addrinfo) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
      let status = getnameinfo(
        info.ai_addr, info.ai_addrlen, buffer.baseAddress!, socklen_t(NI_MAXHOST), nil, 0,
        NI_NUMERICHOST)
      return status == 0 ? String(cString: buffer.baseAddress!) : nil
    }
  }
}

private func nameResolved(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ status: Int32,
  _ first: UnsafeMutablePointer<addrinfo>?
) {
  Unmanaged<NameResolution>.fromOpaque(request!.pointee.data).takeRetainedValue()
    .finish(status, first)
}
