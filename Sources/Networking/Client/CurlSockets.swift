import CCurl
import CLibWebSockets

/// Watches libcurl's sockets on the loop.
///
/// Used on the loop's thread only.
final class CurlSockets {
  /// One socket and its watch, kept by libuv until the handle is closed.
  private final class Watch {
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    let descriptor: curl_socket_t
    weak var owner: CurlSockets?

    init(descriptor: curl_socket_t, owner: CurlSockets) {
      self.descriptor = descriptor
      self.owner = owner
    }

    deinit {
      poll.deallocate()
    }
  }

  private let loop: UnsafeMutablePointer<uv_loop_t>
  /// Called with a socket and the `CURL_CSELECT_` bits of what it is ready for.
  private let onReady: (curl_socket_t, Int32) -> Void
  private var watches: [curl_socket_t: Watch] = [:]

  init(
    loop: UnsafeMutablePointer<uv_loop_t>, onReady: @escaping (curl_socket_t, Int32) -> Void
  ) {
    self.loop = loop
    self.onReady = onReady
  }

  /// Does what libcurl asks for one of its sockets (`CURL_POLL_`).
  func watch(_ descriptor: curl_socket_t, for what: Int32) {
    guard what != CURL_POLL_REMOVE else { return remove(descriptor) }
    guard let watch = watches[descriptor] ?? add(descriptor) else { return }
    var events: UInt32 = 0
    if what & CURL_POLL_IN != 0 { events |= UV_READABLE.rawValue }
    if what & CURL_POLL_OUT != 0 { events |= UV_WRITABLE.rawValue }
    uv_poll_start(watch.poll, Int32(events)) { poll, status, events in
      let watch = Unmanaged<Watch>.fromOpaque(poll!.pointee.data).takeUnretainedValue()
      var ready: Int32 = status < 0 ? CURL_CSELECT_ERR : 0
      if events & Int32(UV_READABLE.rawValue) != 0 { ready |= CURL_CSELECT_IN }
      if events & Int32(UV_WRITABLE.rawValue) != 0 { ready |= CURL_CSELECT_OUT }
      watch.owner?.onReady(watch.descriptor, ready)
    }
  }

  func removeAll() {
    for descriptor in watches.keys { remove(descriptor) }
  }

  private func add(_ descriptor: curl_socket_t) -> Watch? {
    let watch = Watch(descriptor: descriptor, owner: self)
    guard uv_poll_init_socket(loop, watch.poll, descriptor) == 0 else { return nil }
    watch.poll.pointee.data = Unmanaged.passRetained(watch).toOpaque()
    watches[descriptor] = watch
    return watch
  }

  private func remove(_ descriptor: curl_socket_t) {
    guard let watch = watches.removeValue(forKey: descriptor) else { return }
    uv_close(handle(watch.poll)) { handle in
      Unmanaged<Watch>.fromOpaque(handle!.pointee.data).release()
    }
  }
}
