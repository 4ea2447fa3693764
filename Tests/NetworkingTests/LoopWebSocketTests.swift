import Networking
import Synchronization
import Testing

struct LoopWebSocketTests {
  /// Accepts and hands the server's end to `serve`.
  private func serving(
    _ serve: @escaping @Sendable (any WebSocketConnection) async -> Void
  ) -> TestHandler {
    TestHandler(judge: { _ in .accept(serve) })
  }

  private func status(of error: (any Error)?) -> Int? {
    guard case .refused(let response)? = error as? TransportError else { return nil }
    return response.status
  }

  @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 5 << 20])
  func messagesOfEverySizeComeBack(size: Int) async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let socket = try await loop.open()
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
      let text = String(repeating: "ü", count: size / 2)
      await socket.send(.binary(bytes))
      await socket.send(.text(text))
      #expect(await socket.receive() == .message(.binary(bytes)))
      #expect(await socket.receive() == .message(.text(text)))
    }
  }

  @Test func messagesKeepTheirOrder() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let socket = try await loop.open()
      for number in UInt8(0)..<200 { await socket.send(.binary([number])) }
      for number in UInt8(0)..<200 {
        let event = await socket.receive()
        #expect(event == .message(.binary([number])))
      }
    }
  }

  @Test(arguments: [1000, 1001, 3000, 4008, 4999])
  func aCloseCodeOfTheServerReachesTheClient(code: Int) async throws {
    let handler = serving { socket in
      await socket.send(.text("last words"))
      await socket.close(code: code, reason: "because")
    }
    try await Loopback.run(handler) { loop in
      let socket = try await loop.open()
      #expect(await socket.receive() == .message(.text("last words")))
      #expect(await socket.receive() == .closed(code: code, reason: "because"))
      #expect(await socket.receive() == nil)
      await socket.send(.text("nobody hears this"))
    }
  }

  @Test(arguments: [1000, 1001, 3000, 4008, 4999])
  func aCloseCodeOfTheClientReachesTheServer(code: Int) async throws {
    let seen = Journal<WebSocketEvent?>()
    let handler = serving { socket in
      seen.note(await socket.receive())
      seen.note(await socket.receive())
      seen.note(await socket.receive())
    }
    try await Loopback.run(handler) { loop in
      let socket = try await loop.open()
      await socket.send(.text("last words"))
      await socket.close(code: code, reason: "because")
      #expect(await socket.receive() == .closed(code: code, reason: "because"))
      while seen.entries.count < 3 { try await loop.runtime.sleep(for: .milliseconds(1)) }
      #expect(
        seen.entries == [
          .message(.text("last words")), .closed(code: code, reason: "because"), nil,
        ])
    }
  }

  @Test func theServersConnectionClosesWhenItsClosureReturns() async throws {
    try await Loopback.run(serving { _ in }) { loop in
      let socket = try await loop.open()
      #expect(await socket.receive() == .closed(code: 1000, reason: ""))
    }
  }

  @Test func aRefusedUpgradeCarriesStatusHeadersAndBody() async throws {
    let body = Array(#"{"error":{"type":"authentication"}}"#.utf8)
    let handler = TestHandler(judge: { request in
      .refuse(
        HTTPResponse(
          status: request.queryValue("token") == nil ? 401 : 429,
          headers: ["content-type": "application/json", "retry-after": "3"], body: body))
    })
    try await Loopback.run(handler) { loop in
      for (query, status) in [([], 401), ([(name: "token", value: "t")], 429)] {
        let error = await #expect(throws: TransportError.self) {
          _ = try await loop.open("/v1/x", query: query)
        }
        guard case .refused(let response)? = error else { return #expect(error == nil) }
        #expect(response.status == status)
        #expect(response.body == body)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["retry-after"] == "3")
      }
    }
  }

  @Test func theUpgradesRequestArrivesWhole() async throws {
    let seen = Journal<HTTPRequest>()
    let handler = TestHandler(judge: { request in
      seen.note(request)
      return .accept { _ = await $0.receive() }
    })
    try await Loopback.run(handler) { loop in
      let headers: HTTPHeaders = ["Authorization": "Bearer x", "X-Api-Key": "k"]
      _ = try await loop.open(
        "/v1/agents/a b/watch", query: [("after", "7"), ("stream", "a&b")], headers: headers)
      let request = try #require(seen.entries.first)
      #expect(request.method == .get)
      #expect(request.path == "/v1/agents/a b/watch")
      #expect(request.queryValue("after") == "7")
      #expect(request.queryValue("stream") == "a&b")
      #expect(request.headers["authorization"] == "Bearer x")
      #expect(request.headers["x-api-key"] == "k")
      #expect(request.remoteAddress == "127.0.0.1")
    }
  }

  @Test func aPathTooLongToBeSentIsRefusedHere() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let fits = "/" + String(repeating: "p", count: 1899)
      _ = try await loop.open(fits)
      let error = await #expect(throws: TransportError.self) { _ = try await loop.open(fits + "p") }
      guard case .broken(let detail)? = error else { return #expect(error == nil) }
      #expect(detail.contains("1901 bytes, 1900 at most"))
    }
  }

  @Test func nobodyThereIsUnreachableWithTheAddress() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: false) { port in
        for host in ["127.0.0.1", "localhost"] {
          let error = await #expect(throws: TransportError.self) {
            let request = WebSocketRequest(host: host, port: port, path: "/")
            _ = try await transport.openWebSocket(request, timeout: .seconds(20))
          }
          guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
          #expect(detail.contains("\(host):\(port)"))
        }
      }
    }
  }

  @Test func anUnknownNameIsUnreachable() async throws {
    await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      let error = await #expect(throws: TransportError.self) {
        let request = WebSocketRequest(host: "no-such-host.invalid", port: 80, path: "/")
        _ = try await transport.openWebSocket(request, timeout: .seconds(20))
      }
      guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
      #expect(detail.contains("no-such-host.invalid was not found"))
    }
  }

  @Test func aServerThatNeverAnswersTimesOut() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: true) { port in
        let error = await #expect(throws: TransportError.self) {
          let request = WebSocketRequest(host: "127.0.0.1", port: port, path: "/")
          _ = try await transport.openWebSocket(request, timeout: .milliseconds(50))
        }
        guard case .timedOut(let detail)? = error else { return #expect(error == nil) }
        #expect(detail.contains("127.0.0.1:\(port)"))
      }
    }
  }

  @Test func openingCanBeCancelled() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: true) { port in
        let opening = Task {
          let request = WebSocketRequest(host: "127.0.0.1", port: port, path: "/")
          return try await transport.openWebSocket(request, timeout: .seconds(3600))
        }
        try await runtime.sleep(for: .milliseconds(20))
        opening.cancel()
        let error = await #expect(throws: TransportError.self) { _ = try await opening.value }
        guard case .cancelled? = error else { return #expect(error == nil) }
      }
    }
  }

  @Test func aReaderCanBeCancelled() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let socket = try await loop.open()
      let reader = Task { await socket.receive() }
      try await loop.runtime.sleep(for: .milliseconds(5))
      reader.cancel()
      #expect(await reader.value == nil)
      await socket.send(.text("still open"))
      #expect(await socket.receive() == .message(.text("still open")))
    }
  }

  @Test func aSenderIsHeldBackByAReaderThatPauses() async throws {
    let sent = Journal<Int>()
    let peak = Mutex(0)
    let handler = serving { socket in
      for number in 0..<512 {
        await socket.send(
          .binary([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 65_536)))
        let unsent = await socket.unsentBytes
        peak.withLock { $0 = max($0, unsent) }
        sent.note(number)
      }
      _ = await socket.receive()
    }
    try await Loopback.run(handler) { loop in
      let socket = try await loop.open()
      // 32 MiB are on offer; the kernel's buffers and both bounds hold less than half of it.
      var before = -1
      while sent.entries.count != before {
        before = sent.entries.count
        try await loop.runtime.sleep(for: .milliseconds(50))
      }
      #expect(sent.entries.count < 256)
      for number in 0..<512 {
        guard case .message(.binary(let bytes))? = await socket.receive() else {
          Issue.record("closed at \(number)")
          return
        }
        #expect(bytes.count == 65_536 && bytes[0] == UInt8(truncatingIfNeeded: number))
      }
      #expect(peak.withLock { $0 } <= 1 << 20 + 65_536)
    }
  }

  @Test func aPausedReaderIsNotHungUpOn() async throws {
    var configuration = LoopServer.Configuration()
    configuration.pingInterval = .seconds(1)
    configuration.hangUp = .seconds(2)
    let gate = Gate()
    let handler = serving { socket in
      await gate.wait()
      var received = 0
      while received < 40 * 65_536, case .message(.binary(let bytes))? = await socket.receive() {
        received += bytes.count
      }
      await socket.send(.text("\(received)"))
    }
    try await Loopback.run(handler, configuration) { loop in
      let socket = try await loop.open()
      for _ in 0..<40 { await socket.send(.binary([UInt8](repeating: 1, count: 65_536))) }
      try await loop.runtime.sleep(for: .milliseconds(3500))
      gate.open()
      #expect(await socket.receive() == .message(.text("\(40 * 65_536)")))
    }
  }

  @Test func aTooLargeMessageClosesWith1009AndBadTextWith1007() async throws {
    let seen = Journal<WebSocketEvent?>()
    let handler = serving { seen.note(await $0.receive()) }
    try await Loopback.run(handler) { loop in
      let socket = try await loop.open()
      await socket.send(.binary([UInt8](repeating: 0, count: 5 << 20 + 1)))
      #expect(
        await socket.receive()
          == .closed(code: 1009, reason: "a message may have 5242880 bytes"))
    }
  }

  @Test func twoHundredConnectionsAtOnce() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let socket = try await loop.open("/\(number)")
            for round in 0..<5 {
              await socket.send(.text("\(number) \(round)"))
              let event = await socket.receive()
              #expect(event == .message(.text("\(number) \(round)")))
            }
            await socket.close(code: 1000, reason: "")
            let end = await socket.receive()
            #expect(end == .closed(code: 1000, reason: ""))
          }
        }
        try await group.waitForAll()
      }
      #expect(await loop.server.counters.upgrades == 200)
    }
  }

  @Test func aServerThatStopsClosesWith1001() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let sockets = [try await loop.open(), try await loop.open()]
      await loop.server.stop()
      for socket in sockets {
        let event = await socket.receive()
        #expect(event == .closed(code: 1001, reason: "the server is going away"))
      }
    }
  }

  @Test func aClientThatStopsClosesWith1001() async throws {
    let seen = Journal<WebSocketEvent?>()
    try await Loopback.run(serving { seen.note(await $0.receive()) }) { loop in
      _ = try await loop.open()
      await loop.transport.stop()
      while seen.entries.isEmpty { try await loop.runtime.sleep(for: .milliseconds(1)) }
      #expect(seen.entries == [.closed(code: 1001, reason: "the client is going away")])
    }
  }

  @Test func aPeerThatVanishesIsNoticedAsBroken() async throws {
    let seen = Journal<WebSocketEvent?>()
    try await withRuntime { runtime in
      let handler = serving { seen.note(await $0.receive()) }
      let server = try await LoopServer.start(handler: handler, runtime: runtime)
      let port = await server.port
      let other = LoopRuntime()
      let transport = LoopTransport(runtime: other)
      let socket = try await transport.openWebSocket(
        WebSocketRequest(host: "127.0.0.1", port: port, path: "/"), timeout: .seconds(20))
      await socket.breakConnection()
      #expect(await socket.receive() == .closed(code: 1006, reason: ""))
      await other.stop()
      while seen.entries.isEmpty { try await runtime.sleep(for: .milliseconds(1)) }
      #expect(seen.entries == [.closed(code: 1006, reason: "")])
    }
  }
}
