import Networking
import Synchronization
import Testing

struct InMemoryTransportTests {
  private let origin = Origin(host: "router", port: 80, basePath: "/v1")

  private func socketRequest(_ path: String = "/") -> WebSocketRequest {
    WebSocketRequest(host: "router", port: 80, path: path)
  }

  @Test func requestsReachTheHandlerWithTheOriginsPath() async throws {
    try await withRuntime { runtime in
      let handler = TestHandler(answer: { request in
        HTTPResponse(status: 200, body: Array(request.path.utf8))
      })
      let transport = InMemoryTransport(handler: handler, runtime: runtime)
      let response = try await transport.request(
        HTTPRequest(.get, "/agents"), to: origin, timeout: .seconds(20))
      #expect(text(response) == "/v1/agents")
      let stream = try await transport.stream(
        HTTPRequest(.get, "/x"), to: origin, timeout: .seconds(20))
      #expect(try await stream.next() == Array("/v1/x".utf8))
      #expect(try await stream.next() == nil)
    }
  }

  @Test func messagesAndClosesCrossBothWays() async throws {
    try await withRuntime { runtime in
      let seen = Journal<WebSocketEvent?>()
      let handler = TestHandler(judge: { _ in
        .accept { socket in
          while let event = await socket.receive() {
            seen.note(event)
            if case .message(let message) = event { await socket.send(message) }
          }
        }
      })
      let transport = InMemoryTransport(
        handler: handler, runtime: runtime, conditions: LinkConditions(latency: .milliseconds(1)))
      let socket = try await transport.openWebSocket(socketRequest(), timeout: .seconds(20))
      for number in 0..<10 { await socket.send(.text("\(number)")) }
      for number in 0..<10 {
        let event = await socket.receive()
        #expect(event == .message(.text("\(number)")))
      }
      await socket.close(code: 4008, reason: "mine")
      #expect(await socket.receive() == .closed(code: 4008, reason: "mine"))
      #expect(await socket.receive() == nil)
      #expect(seen.entries.last == .closed(code: 4008, reason: "mine"))
    }
  }

  @Test func aRefusalCarriesItsResponse() async throws {
    await withRuntime { runtime in
      let handler = TestHandler(judge: { _ in .refuse(HTTPResponse(status: 403, body: [1])) })
      let transport = InMemoryTransport(handler: handler, runtime: runtime)
      let error = await #expect(throws: TransportError.self) {
        _ = try await transport.openWebSocket(socketRequest(), timeout: .seconds(20))
      }
      guard case .refused(let response)? = error else { return #expect(error == nil) }
      #expect(response.status == 403 && response.body == [1])
    }
  }

  @Test func aSenderIsHeldBackByAReaderThatPauses() async throws {
    try await withRuntime { runtime in
      let gate = Gate()
      let received = Mutex(0)
      let handler = TestHandler(judge: { _ in
        .accept { socket in
          await gate.wait()
          while case .message(.binary(let bytes))? = await socket.receive() {
            received.withLock { $0 += bytes.count }
          }
        }
      })
      let transport = InMemoryTransport(handler: handler, runtime: runtime)
      let socket = try await transport.openWebSocket(socketRequest(), timeout: .seconds(20))
      let sent = Journal<Int>()
      let sender = Task {
        for number in 0..<64 {
          await socket.send(.binary([UInt8](repeating: 0, count: 65_536)))
          sent.note(number)
        }
        await socket.close(code: 1000, reason: "")
      }
      try await runtime.sleep(for: .milliseconds(20))
      #expect(sent.entries.count < 40)
      gate.open()
      await sender.value
      #expect(await socket.receive() == .closed(code: 1000, reason: ""))
      while received.withLock({ $0 }) < 64 * 65_536 {
        try await runtime.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test func aStalledLinkDeliversLateAndInOrder() async throws {
    try await withRuntime { runtime in
      let transport = InMemoryTransport(handler: TestHandler.echo, runtime: runtime)
      let socket = try await transport.openWebSocket(socketRequest(), timeout: .seconds(20))
      await transport.setConditions(LinkConditions(state: .stalled))
      await socket.send(.text("a"))
      await socket.send(.text("b"))
      let early = Task { await socket.receive() }
      try await runtime.sleep(for: .milliseconds(5))
      early.cancel()
      #expect(await early.value == nil)
      await transport.setConditions(LinkConditions())
      #expect(await socket.receive() == .message(.text("a")))
      #expect(await socket.receive() == .message(.text("b")))
    }
  }

  @Test func aLinkThatGoesDownBreaksBothEndsAndRefusesNewOnes() async throws {
    try await withRuntime { runtime in
      let seen = Journal<WebSocketEvent?>()
      let handler = TestHandler(
        answer: { _ in HTTPResponse(status: 200) },
        judge: { _ in .accept { seen.note(await $0.receive()) } })
      let transport = InMemoryTransport(handler: handler, runtime: runtime)
      let socket = try await transport.openWebSocket(socketRequest(), timeout: .seconds(20))
      await transport.setConditions(LinkConditions(state: .down))
      #expect(await socket.receive() == .closed(code: 1006, reason: ""))
      while seen.entries.isEmpty { try await runtime.sleep(for: .milliseconds(1)) }
      #expect(seen.entries == [.closed(code: 1006, reason: "")])
      let error = await #expect(throws: TransportError.self) {
        _ = try await transport.request(HTTPRequest(.get, "/"), to: origin, timeout: .seconds(20))
      }
      guard case .unreachable? = error else { return #expect(error == nil) }
      await transport.setConditions(LinkConditions())
      let response = try await transport.request(
        HTTPRequest(.get, "/"), to: origin, timeout: .seconds(20))
      #expect(response.status == 200)
    }
  }

  @Test func aHandlerThatTakesTooLongTimesOutAndACallerCanCancel() async throws {
    try await withRuntime { runtime in
      let gate = Gate()
      let handler = TestHandler(answer: { _ in
        await gate.wait()
        return HTTPResponse(status: 200)
      })
      let transport = InMemoryTransport(handler: handler, runtime: runtime)
      let late = await #expect(throws: TransportError.self) {
        _ = try await transport.request(
          HTTPRequest(.get, "/"), to: origin, timeout: .milliseconds(5))
      }
      guard case .timedOut? = late else { return #expect(late == nil) }
      let request = Task { [origin] in
        try await transport.request(HTTPRequest(.get, "/"), to: origin, timeout: .seconds(3600))
      }
      try await runtime.sleep(for: .milliseconds(5))
      request.cancel()
      let cancelled = await #expect(throws: TransportError.self) { _ = try await request.value }
      guard case .cancelled? = cancelled else { return #expect(cancelled == nil) }
      gate.open()
    }
  }
}
