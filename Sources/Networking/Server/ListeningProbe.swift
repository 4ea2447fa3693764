import CLibWebSockets
import Glibc

/// Whether the system lets us listen at a numeric address: 0 or an error code.
func probeListening(address: String, port: Int) -> Int32 {
  var hints = addrinfo()
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var found: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found else {
    return EINVAL
  }
  defer { freeaddrinfo(info) }
  let kind = info.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
  let descriptor = socket(info.pointee.ai_family, kind, 0)
  guard descriptor >= 0 else { return errno }
  defer { close(descriptor) }
  // As libwebsockets does: a port in TIME_WAIT is free.
  var yes: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
    listen(descriptor, 1) == 0
  else { return errno }
  return 0
}
