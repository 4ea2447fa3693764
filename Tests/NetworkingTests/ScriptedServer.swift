import Glibc
import Networking
import Synchronization

/// A server that answers its first request with a given text and then sends what it is told.
final class ScriptedServer: Sendable {
  let port: Int
  private let connection = Mutex<Int32>(-1)
  private let watches = Mutex<[ScheduledAction]>([])

  init(runtime: any Runtime, head: String) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, size)
        listen(listener, 1)
        getsockname(listener, pointer, &size)
        let bound = UnsafeRawPointer(pointer).load(as: sockaddr_in.self)
        return Int(in_port_t(bigEndian: bound.sin_port))
      }
    }
    let accepting = runtime.watch(descriptor: listener) { [self] in
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      connection.withLock { $0 = descriptor }
      let reading = runtime.watch(descriptor: descriptor) { [self] in
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { send(head) }
        watches.withLock { $0.last }?.cancel()
      }
      watches.withLock { $0.append(reading) }
    }
    watches.withLock { $0.append(accepting) }
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = connection.withLock { Glibc.send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  func hangUp() {
    connection.withLock { descriptor in
      close(descriptor)
      descriptor = -1
    }
  }
}
