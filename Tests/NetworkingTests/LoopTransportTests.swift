import Foundation
import Glibc
import Networking
import Testing

struct LoopTransportTests {
  @Test func piecesOfAStreamArriveOneByOne() async throws {
    try await withRuntime { runtime in
      let script = ScriptedServer(
        runtime: runtime,
        head:
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
      )
      let transport = LoopTransport(runtime: runtime)
      let stream = try await transport.stream(
        HTTPRequest(.post, "/v1/chat", body: Array("{}".utf8)),
        to: Origin(host: "127.0.0.1", port: script.port), timeout: .seconds(20))
      #expect(stream.status == 200)
      #expect(stream.headers["Content-Type"] == "text/event-stream")
      var parser = ServerSentEvents()
      // Each piece is sent only when the one before was read: none may wait for the next.
      for number in 0..<4 {
        script.send("b\r\ndata: \(number)!!\n\n\r\n")
        let bytes = try await stream.next()
        let events = try parser.feed(try #require(bytes))
        #expect(events == [ServerSentEvents.Event(data: "\(number)!!")])
      }
      script.send("0\r\n\r\n")
      #expect(try await stream.next() == nil)
      #expect(try await stream.next() == nil)
    }
  }

  @Test func aStreamThatBreaksIsNotTakenForItsEnd() async throws {
    try await withRuntime { runtime in
      let script = ScriptedServer(
        runtime: runtime, head: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nten bytes.")
      let transport = LoopTransport(runtime: runtime)
      let stream = try await transport.stream(
        HTTPRequest(.get, "/"), to: Origin(host: "127.0.0.1", port: script.port),
        timeout: .seconds(20))
      #expect(try await stream.next() == Array("ten bytes.".utf8))
      script.hangUp()
      let error = await #expect(throws: TransportError.self) { _ = try await stream.next() }
      guard case .broken? = error else { return #expect(error == nil) }
    }
  }

  @Test func aStreamThatFallsSilentTimesOut() async throws {
    try await withRuntime { runtime in
      let script = ScriptedServer(
        runtime: runtime, head: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")
      let transport = LoopTransport(runtime: runtime)
      let stream = try await transport.stream(
        HTTPRequest(.get, "/"), to: Origin(host: "127.0.0.1", port: script.port),
        timeout: .milliseconds(500))
      let error = await #expect(throws: TransportError.self) { _ = try await stream.next() }
      guard case .timedOut(let detail)? = error else { return #expect(error == nil) }
      #expect(detail.contains("did not send the next bytes of a response in time"))
    }
  }

  @Test func missingAuthoritiesAreSaidEveryTimeTheyAreMissed() async {
    await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime, authorityPath: "/nowhere/authorities.pem")
      let request = WebSocketRequest(host: "127.0.0.1", port: 9, secure: true, path: "/")
      for _ in 1...2 {
        let error = await #expect(throws: TransportError.self) {
          _ = try await transport.openWebSocket(request, timeout: .seconds(20))
        }
        guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
        #expect(detail.contains("/nowhere/authorities.pem"))
      }
    }
  }

  @Test func aServerThatNeverAnswersTimesOut() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: true) { port in
        let origin = Origin(host: "127.0.0.1", port: port)
        let whole = await #expect(throws: TransportError.self) {
          _ = try await transport.request(
            HTTPRequest(.get, "/"), to: origin, timeout: .milliseconds(50))
        }
        guard case .timedOut(let detail)? = whole else { return #expect(whole == nil) }
        #expect(detail.contains("127.0.0.1:\(port)"))
        let streamed = await #expect(throws: TransportError.self) {
          _ = try await transport.stream(
            HTTPRequest(.get, "/"), to: origin, timeout: .milliseconds(50))
        }
        guard case .timedOut? = streamed else { return #expect(streamed == nil) }
      }
    }
  }

  @Test func nobodyThereIsUnreachable() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: false) { port in
        let error = await #expect(throws: TransportError.self) {
          _ = try await transport.request(
            HTTPRequest(.get, "/"), to: Origin(host: "127.0.0.1", port: port),
            timeout: .seconds(20))
        }
        guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
        #expect(detail.contains("127.0.0.1:\(port)"))
      }
    }
  }

  @Test func aRequestCanBeCancelled() async throws {
    try await withRuntime { runtime in
      let transport = LoopTransport(runtime: runtime)
      try await withDeafPort(takes: true) { port in
        let request = Task {
          try await transport.request(
            HTTPRequest(.get, "/"), to: Origin(host: "127.0.0.1", port: port),
            timeout: .seconds(3600))
        }
        try await runtime.sleep(for: .milliseconds(20))
        request.cancel()
        let error = await #expect(throws: TransportError.self) { _ = try await request.value }
        guard case .cancelled? = error else { return #expect(error == nil) }
      }
    }
  }

  @Test func aResponseOverFiveMebibytesIsRefused() async throws {
    let handler = TestHandler(answer: { request in
      HTTPResponse(
        status: 200, body: [UInt8](repeating: 1, count: 5 << 20 + (request.path == "/more" ? 1 : 0))
      )
    })
    try await Loopback.run(handler) { loop in
      let whole = try await loop.request(HTTPRequest(.get, "/"))
      #expect(whole.body.count == 5 << 20)
      let error = await #expect(throws: TransportError.self) {
        _ = try await loop.request(HTTPRequest(.get, "/more"))
      }
      guard case .broken(let detail)? = error else { return #expect(error == nil) }
      #expect(detail.contains("exceeds 5242880 bytes"))
    }
  }

  @Test func aReaderThatDoesNotReadHoldsTheServerBack() async throws {
    let body = (UInt8(0)..<200).flatMap { [UInt8](repeating: $0, count: 50_000) }
    let handler = TestHandler(answer: { _ in HTTPResponse(status: 200, body: body) })
    try await Loopback.run(handler) { loop in
      let stream = try await loop.transport.stream(
        HTTPRequest(.get, "/"), to: loop.origin, timeout: .seconds(20))
      try await loop.runtime.sleep(for: .milliseconds(100))
      var received: [UInt8] = []
      while let bytes = try await stream.next() {
        // What waits unread is bounded, whatever the server has to send.
        #expect(bytes.count <= 512 << 10)
        received += bytes
      }
      let arrivedWhole = received == body
      #expect(arrivedWhole, "\(received.count) bytes arrived")
    }
  }

  @Test func theEnvironmentsProxyIsIgnored() async {
    await #expect(processExitsWith: .success) {
      setenv("http_proxy", "http://127.0.0.1:9", 1)
      try await Loopback.run(
        TestHandler(
          answer: { _ in HTTPResponse(status: 200) }, judge: TestHandler.echo.judge)
      ) { loop in
        let response = try await loop.request(HTTPRequest(.get, "/"))
        try #require(response.status == 200)
        let socket = try await loop.open()
        await socket.send(.text("hello"))
        let event = await socket.receive()
        try #require(event == .message(.text("hello")))
      }
    }
  }

  @Test func tlsTrustsTheGivenAuthorityAndTheNameInTheCertificateOnly() async throws {
    try await TestCertificate.use { certificate in
      var configuration = LoopServer.Configuration()
      configuration.certificate = ServerCertificate(
        chainPath: certificate.chainPath, keyPath: certificate.keyPath)
      let handler = TestHandler(
        answer: { HTTPResponse(status: 200, body: $0.body) }, judge: TestHandler.echo.judge)
      try await Loopback.run(handler, configuration) { loop in
        let trusting = LoopTransport(
          runtime: loop.runtime, authorityPath: certificate.chainPath)
        let attempts = [
          (trusting, "localhost", true), (trusting, "127.0.0.1", false),
          (loop.transport, "localhost", false),
        ]
        let body = [UInt8](repeating: 7, count: 1 << 20)
        for (transport, host, isTrusted) in attempts {
          let response = try? await transport.request(
            HTTPRequest(.post, "/", body: body),
            to: Origin(secure: true, host: host, port: loop.port), timeout: .seconds(20))
          #expect(response?.body == (isTrusted ? body : nil), "\(host)")
          let socket = try? await transport.openWebSocket(
            WebSocketRequest(host: host, port: loop.port, secure: true, path: "/"),
            timeout: .seconds(20))
          #expect((socket != nil) == isTrusted, "\(host)")
          await socket?.send(.binary(body))
          let event = await socket?.receive()
          #expect(event == (isTrusted ? .message(.binary(body)) : nil))
          await socket?.close(code: 4001, reason: "bye")
          let end = await socket?.receive()
          #expect(end == (isTrusted ? .closed(code: 4001, reason: "bye") : nil))
        }
      }
    }
  }

  @Test func aPinnedCertificateIsAcceptedUnderAnyNameAndAnotherOneUnderNone() async throws {
    try await TestCertificate.use { certificate in
      var configuration = LoopServer.Configuration()
      configuration.certificate = ServerCertificate(
        chainPath: certificate.chainPath, keyPath: certificate.keyPath)
      let handler = TestHandler(
        answer: { _ in HTTPResponse(status: 200) }, judge: TestHandler.echo.judge)
      try await Loopback.run(handler, configuration) { loop in
        let own = try CertificateFingerprint(ofFile: certificate.chainPath)
        #expect(CertificateFingerprint(own.description.lowercased()) == own)
        let other = try #require(CertificateFingerprint(String(repeating: "ab", count: 32)))
        let origin = Origin(secure: true, host: "127.0.0.1", port: loop.port)
        let learnt = try await LoopTransport.certificate(
          of: origin, runtime: loop.runtime, timeout: .seconds(20))
        #expect(learnt == own)
        for (pin, isAccepted) in [(own, true), (other, false), (own, true)] {
          let transport = LoopTransport(runtime: loop.runtime, pin: pin)
          do throws(TransportError) {
            let request = HTTPRequest(.get, "/")
            _ = try await transport.request(request, to: origin, timeout: .seconds(20))
            let socket = try await transport.openWebSocket(
              WebSocketRequest(host: "127.0.0.1", port: loop.port, secure: true, path: "/"),
              timeout: .seconds(20))
            await socket.send(.text("hello"))
            let event = await socket.receive()
            #expect(event == .message(.text("hello")))
            #expect(isAccepted, "another certificate was accepted")
          } catch {
            #expect(!isAccepted, "\(error)")
            #expect("\(error)".contains(own.description), "\(error)")
          }
          // The socket alone must refuse too.
          let socket = try? await transport.openWebSocket(
            WebSocketRequest(host: "127.0.0.1", port: loop.port, secure: true, path: "/"),
            timeout: .seconds(20))
          #expect((socket != nil) == isAccepted)
        }
      }
    }
  }

  @Test func aRenewedCertificateIsShownToNewConnectionsAndAWrongOneIsNot() async throws {
    try await TestCertificate.use { certificate in
      let files = ServerCertificate(
        chainPath: certificate.chainPath, keyPath: certificate.keyPath)
      var configuration = LoopServer.Configuration()
      configuration.certificate = files
      try await Loopback.run(TestHandler.echo, configuration) { loop in
        let origin = Origin(secure: true, host: "127.0.0.1", port: loop.port)
        func shown() async throws -> CertificateFingerprint? {
          try await LoopTransport.certificate(
            of: origin, runtime: loop.runtime, timeout: .seconds(20))
        }
        let first = try await shown()
        try FileManager.default.removeItem(atPath: files.chainPath)
        await #expect(throws: CertificateFailure.self) { try await loop.server.renewCertificate() }
        #expect(try await shown() == first)
        let keyBefore = try Data(contentsOf: URL(filePath: files.keyPath))
        try FileManager.default.removeItem(atPath: files.keyPath)
        try files.make(name: "renewed")
        let made = try CertificateFingerprint(ofFile: files.chainPath)
        let keyAfter = try Data(contentsOf: URL(filePath: files.keyPath))
        // The key of another certificate is found before anything is put to use.
        try keyBefore.write(to: URL(filePath: files.keyPath))
        await #expect(throws: CertificateFailure.self) { try await loop.server.renewCertificate() }
        #expect(try await shown() == first)
        try keyAfter.write(to: URL(filePath: files.keyPath))
        #expect(try await loop.server.renewCertificate() == made)
        #expect(try await shown() == made)
        #expect(made != first)
      }
    }
  }

  @Test func theHostMayBeAName() async throws {
    try await Loopback.run(TestHandler.echo) { loop in
      let response = try await loop.transport.request(
        HTTPRequest(.get, "/"), to: Origin(host: "localhost", port: loop.port),
        timeout: .seconds(20))
      #expect(response.status == 404)
      let socket = try await loop.transport.openWebSocket(
        WebSocketRequest(host: "localhost", port: loop.port, path: "/"), timeout: .seconds(20))
      await socket.send(.text("hello"))
      #expect(await socket.receive() == .message(.text("hello")))
    }
  }

  @Test func aChildProcessInheritsNoConnectionAndNoPipeOfAnotherChild() async {
    // In a process of its own: sockets of other tests' loops may be caught while being made.
    await #expect(processExitsWith: .success) {
      let handler = TestHandler(
        answer: { _ in HTTPResponse(status: 200) }, judge: TestHandler.echo.judge)
      try await Loopback.run(handler) { loop in
        _ = try await loop.request(HTTPRequest(.get, "/"))
        let socket = try await loop.open()
        // libcurl wakes its threads by a pair of sockets that are inherited and lead nowhere.
        let others = socketLinks(domain: AF_UNIX)
        let other = try await ChildProcess.launch("/bin/cat", runtime: loop.runtime)
        let pipes = socketLinks(domain: AF_UNIX).subtracting(others)
        let connections = socketLinks(domain: AF_INET).union(socketLinks(domain: AF_INET6))
        // Listener and both ends of two connections; input, output and errors of the child.
        try #require(connections.count >= 5 && pipes.count == 3)
        let child = try await ChildProcess.launch(
          "/bin/ls", arguments: ["-l", "/proc/self/fd"], runtime: loop.runtime)
        var bytes: [UInt8] = []
        while let piece = await child.read() { bytes += piece }
        let listing = String(decoding: bytes, as: UTF8.self)
        for link in connections.union(pipes) { try #require(!listing.contains(link)) }
        await other.closeInput()
        #expect(await other.exitStatus() == .exited(code: 0))
        await socket.close(code: 1000, reason: "")
      }
    }
  }
}

/// What `/proc` names the sockets of one domain that this process has open.
private func socketLinks(domain: Int32) -> Set<String> {
  var links: Set<String> = []
  for descriptor in Int32(3)..<1024 {
    var found: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &found, &size) == 0, found == domain else {
      continue
    }
    var link = [CChar](repeating: 0, count: 64)
    guard readlink("/proc/self/fd/\(descriptor)", &link, 63) > 0 else { continue }
    links.insert(
      String(decoding: link.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
  return links
}
