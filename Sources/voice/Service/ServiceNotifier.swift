import Glibc

/// Tells the service manager how this program does: the datagrams of systemd's sd_notify protocol,
/// sent to the socket that `NOTIFY_SOCKET` names. Without one it does nothing.
struct ServiceNotifier: Sendable {
  /// Where to send to; a leading `@` stands for an abstract socket.
  private let path: String?
  /// How often the manager wants a sign of life; nil when it wants none.
  let watchdogInterval: Duration?

  init(environment: [String: String]) {
    let path = environment["NOTIFY_SOCKET"] ?? ""
    self.path = path.hasPrefix("/") || path.hasPrefix("@") ? path : nil
    // Another process's watchdog may be in an inherited environment.
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  var isWanted: Bool { path != nil }

  func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }
  func status(_ status: String) { send("STATUS=\(status)") }
  func alive() { send("WATCHDOG=1") }
  func stopping() { send("STOPPING=1") }

  /// A manager that does not listen is none of the conversation's business: nothing is reported.
  private func send(_ text: String) {
    guard let path else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // The length counts: an abstract name has no end of its own.
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let length = socklen_t(offset + bytes.count + (bytes.first == 0 ? 0 : 1))
    let message = Array(text.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        sendto(
          descriptor, message, message.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
          pointer, length)
      }
    }
  }
}
