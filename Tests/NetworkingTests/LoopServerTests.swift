import Networking
import Synchronization
import Testing

struct LoopServerTests {
  @Test(arguments: [
    HTTPRequest.Method.get, .post, .put, .patch, .delete, .options,
  ])
  func everyMethodArrivesWithItsBody(method: HTTPRequest.Method) async throws {
    let handler = TestHandler(answer: { request in
      HTTPResponse(
        status: 200, headers: ["x-method": request.method.rawValue], body: request.body)
    })
    try await Loopback.run(handler) { loop in
      for body in ["", "hello"] where method != .get || body.isEmpty {
        let response = try await loop.request(HTTPRequest(method, "/", body: Array(body.utf8)))
        #expect(response.status == 200)
        #expect(response.headers["X-Method"] == method.rawValue)
        #expect(text(response) == body)
      }
    }
  }

  @Test func pathAndQueryArriveDecoded() async throws {
    let seen = Journal<HTTPRequest>()
    let handler = TestHandler(answer: { request in
      seen.note(request)
      return HTTPResponse(status: 204)
    })
    try await Loopback.run(handler) { loop in
      let query = [
        (name: "a", value: "1"), (name: "text", value: "ü & b=c?/#+%"), (name: "empty", value: ""),
        (name: "a", value: "2"), (name: "accent", value: "\u{301}"),
      ]
      let response = try await loop.request(HTTPRequest(.get, "/v1/agent s/ä/x", query: query))
      #expect(response.status == 204)
      let request = try #require(seen.entries.first)
      #expect(request.path == "/v1/agent s/ä/x")
      #expect(request.query.map(\.name) == query.map(\.name))
      #expect(request.query.map(\.value) == query.map(\.value))
      #expect(request.remoteAddress == "127.0.0.1")
    }
  }

  @Test func theHeadersOfTheContractArrive() async throws {
    let seen = Journal<HTTPRequest>()
    let handler = TestHandler(answer: { request in
      seen.note(request)
      return HTTPResponse(status: 200)
    })
    let headers: HTTPHeaders = [
      "Authorization": "Bearer " + String(repeating: "t", count: 16_000), "X-Api-Key": "key",
      "Stream-Auth-Type": "jwt", "X-Stream-User-Id": "jo", "X-Customer-Id": "cust",
      "X-Request-Id": "r1", "Content-Type": "application/json", "Origin": "http://here",
      "Retry-After": "7", "User-Agent": "test/1",
    ]
    try await Loopback.run(handler) { loop in
      let response = try await loop.request(HTTPRequest(.get, "/", headers: headers))
      #expect(response.status == 200)
      let request = try #require(seen.entries.first)
      for (name, value) in headers.fields { #expect(request.headers[name] == value, "\(name)") }
    }
  }

  @Test func aBodyOfFiveMebibytesPassesAndOneMoreByteIsRefused() async throws {
    let handler = TestHandler(answer: { HTTPResponse(status: 200, body: $0.body) })
    try await Loopback.run(handler) { loop in
      let body = (0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
      let whole = try await loop.request(HTTPRequest(.post, "/", body: body))
      #expect(whole.status == 200)
      #expect(whole.body == body)
      let refused = try await loop.request(HTTPRequest(.post, "/", body: body + [0]))
      #expect(refused.status == 413)
      #expect(
        text(refused) == "The body has 5242881 bytes; at most 5242880 are accepted.\n")
      // The next request is none the worse for it.
      #expect(try await loop.request(HTTPRequest(.post, "/", body: [1])).body == [1])
      #expect(await loop.server.counters.tooLargeBodies == 1)
    }
  }

  @Test func connectionsAreKeptAlive() async throws {
    let handler = TestHandler(answer: { HTTPResponse(status: 200, body: $0.body) })
    try await Loopback.run(handler) { loop in
      for round in UInt8(0)..<50 {
        let response = try await loop.request(HTTPRequest(.post, "/", body: [round]))
        #expect(response.body == [round])
      }
      #expect(await loop.server.counters.requests == 50)
      #expect(await loop.server.counters.connections == 1)
    }
  }

  @Test func aSlowHandlerHoldsNobodyUp() async throws {
    try await withRuntime { runtime in
      let gate = Gate()
      let handler = TestHandler(answer: { request in
        if request.path == "/slow" { await gate.wait() }
        return HTTPResponse(status: 200)
      })
      let server = try await LoopServer.start(handler: handler, runtime: runtime)
      let origin = Origin(host: "127.0.0.1", port: await server.port)
      let transport = LoopTransport(runtime: runtime)
      let slow = Task {
        try await transport.request(HTTPRequest(.get, "/slow"), to: origin, timeout: .seconds(20))
      }
      while await server.counters.requests == 0 { try await runtime.sleep(for: .milliseconds(1)) }
      let fast = try await transport.request(
        HTTPRequest(.get, "/fast"), to: origin, timeout: .seconds(20))
      #expect(fast.status == 200)
      gate.open()
      #expect(try await slow.value.status == 200)
    }
  }

  @Test func theAnswerForAConnectionThatHasGoneHarmsNobody() async throws {
    let gate = Gate()
    let handler = TestHandler(answer: { request in
      if request.path == "/slow" { await gate.wait() }
      return HTTPResponse(status: 200)
    })
    try await Loopback.run(handler) { loop in
      await #expect(throws: TransportError.self) {
        _ = try await loop.request(HTTPRequest(.get, "/slow"), timeout: .milliseconds(50))
      }
      gate.open()
      for _ in 0..<3 {
        let response = try await loop.request(HTTPRequest(.get, "/"))
        #expect(response.status == 200)
      }
    }
  }

  @Test func aPortInUseIsSaidInASentence() async throws {
    try await Loopback.run(TestHandler()) { loop in
      await #expect(throws: LoopServer.Failure.addressInUse(address: "127.0.0.1", port: loop.port))
      {
        _ = try await LoopServer.start(
          .init(port: loop.port), handler: TestHandler(), runtime: loop.runtime)
      }
      let sentence = LoopServer.Failure.addressInUse(address: "127.0.0.1", port: 80).description
      #expect(sentence.contains("port 80 at 127.0.0.1 is in use"))
    }
  }

  @Test func anAddressThatIsNotOursIsRefused() async throws {
    await withRuntime { runtime in
      for address in ["192.0.2.1", "nonsense"] {
        await #expect(throws: LoopServer.Failure.self) {
          _ = try await LoopServer.start(
            .init(address: address), handler: TestHandler(), runtime: runtime)
        }
      }
    }
  }

  @Test func allAddressesAndIPv6CanBeListenedAt() async throws {
    let handler = TestHandler(answer: { _ in HTTPResponse(status: 200) })
    for (address, peer) in [("0.0.0.0", "127.0.0.1"), ("::1", "::1"), ("::", "::1")] {
      try await Loopback.run(handler, .init(address: address)) { loop in
        let response = try await loop.transport.request(
          HTTPRequest(.get, "/"), to: Origin(host: peer, port: loop.port), timeout: .seconds(20))
        #expect(response.status == 200, "\(address)")
      }
    }
  }

  @Test func aHandlerCannotSmuggleHeaders() async throws {
    let handler = TestHandler(answer: { _ in
      HTTPResponse(status: 200, headers: ["x-a": "1\r\nx-b: 2"])
    })
    try await Loopback.run(handler) { loop in
      let response = try await loop.request(HTTPRequest(.get, "/"))
      #expect(response.headers["x-b"] == nil)
      #expect(response.headers["x-a"] == "1x-b: 2")
    }
  }

  @Test func stoppingLetsAnAnswerUnderWayFinishAndFreesThePort() async throws {
    let gate = Gate()
    let handler = TestHandler(answer: { _ in
      await gate.wait()
      return HTTPResponse(status: 200, body: [7])
    })
    try await Loopback.run(handler) { loop in
      let answer = Task { try await loop.request(HTTPRequest(.get, "/")) }
      while await loop.server.counters.requests == 0 {
        try await loop.runtime.sleep(for: .milliseconds(1))
      }
      let stop = Task { await loop.server.stop() }
      loop.runtime.after(.milliseconds(20)) { gate.open() }
      await stop.value
      #expect(try await answer.value.body == [7])
      let next = try await LoopServer.start(
        .init(port: loop.port), handler: handler, runtime: loop.runtime)
      #expect(await next.port == loop.port)
    }
  }
}

/// Holds callers until it is opened.
final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>(
    (false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
