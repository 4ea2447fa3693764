import Glibc
import Networking
import Testing

/// A handler made of two closures.
struct TestHandler: HTTPHandler {
  var answer: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in HTTPResponse(status: 404) }
  var judge: @Sendable (HTTPRequest) -> WebSocketUpgrade = { _ in
    .refuse(HTTPResponse(status: 404))
  }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    await answer(request)
  }

  func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    judge(request)
  }

  /// Sends every message back until the peer closes.
  static let echo = TestHandler(judge: { _ in
    .accept { socket in
      while case .message(let message)? = await socket.receive() { await socket.send(message) }
    }
  })
}

/// A server and a client in this process, on one runtime, at a port the system chose.
struct Loopback {
  let runtime: LoopRuntime
  let server: LoopServer
  let transport: LoopTransport
  let port: Int

  static func run(
    _ handler: any HTTPHandler, _ configuration: LoopServer.Configuration = .init(),
    _ body: (Loopback) async throws -> Void
  ) async throws {
    try await withRuntime { runtime in
      let server = try await LoopServer.start(configuration, handler: handler, runtime: runtime)
      try await body(
        Loopback(
          runtime: runtime, server: server, transport: LoopTransport(runtime: runtime),
          port: await server.port))
    }
  }

  var origin: Origin { Origin(host: "127.0.0.1", port: port) }

  func request(_ request: HTTPRequest, timeout: Duration = .seconds(20)) async throws
    -> HTTPResponse
  {
    try await transport.request(request, to: origin, timeout: timeout)
  }

  func open(
    _ path: String = "/", query: [(name: String, value: String)] = [],
    headers: HTTPHeaders = HTTPHeaders(), timeout: Duration = .seconds(20)
  ) async throws -> any WebSocketConnection {
    let request = WebSocketRequest(
      host: "127.0.0.1", port: port, path: path, query: query, headers: headers)
    return try await transport.openWebSocket(request, timeout: timeout)
  }
}

/// A port with nobody behind it; `takes` = connections are taken and never answered.
func withDeafPort(takes: Bool, _ body: (Int) async throws -> Void) async throws {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let port = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      #expect(bind(descriptor, pointer, size) == 0)
      if takes { #expect(listen(descriptor, 8) == 0) }
      getsockname(descriptor, pointer, &size)
      return Int(
        in_port_t(bigEndian: UnsafeRawPointer(pointer).load(as: sockaddr_in.self).sin_port))
    }
  }
  try await body(port)
}

func text(_ response: HTTPResponse) -> String {
  String(decoding: response.body, as: UTF8.self)
}
