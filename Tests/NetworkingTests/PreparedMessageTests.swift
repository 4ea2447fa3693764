import Networking
import Testing

struct PreparedMessageTests {
  /// More than the network's buffers hold.
  private static let count = 3500

  private static func text(_ number: Int) -> String {
    // Lengths on both sides of each form of the head, odd ones so that buffers end inside a frame.
    "\(number) " + String(repeating: "x", count: [0, 117, 200, 4093, 16_001][number % 5])
  }

  @Test func preparedAndOtherMessagesComeWholeAndInOrderToASlowReader() async throws {
    let taken = Journal<Bool>()
    let served = Journal<any WebSocketConnection>()
    try await Loopback.run(Self.handing(served)) { loop in
      let client = try await loop.open()
      let server = try await Self.first(of: served, loop)
      let sender = loop.runtime.task {
        // Nothing is taken before the upgrade is finished.
        while !Self.offer("first", to: server) { await Task.yield() }
        await Self.sendAll(Self.count, to: server, taken)
      }
      // Nothing is read until a message was refused: until then the network fills up.
      while !taken.entries.contains(false), taken.entries.count < Self.count {
        try await loop.runtime.sleep(for: .milliseconds(5))
      }
      #expect(await client.receive() == .message(.text("first")))
      await Self.expectAll(Self.count, client)
      await sender.value
      #expect(taken.entries.first == true)
      #expect(taken.entries.contains(false))
    }
  }

  @Test func overTLSNothingGoesPastTheCipher() async throws {
    let taken = Journal<Bool>()
    let served = Journal<any WebSocketConnection>()
    try await TestCertificate.use { certificate in
      var configuration = LoopServer.Configuration()
      configuration.certificate = ServerCertificate(
        chainPath: certificate.chainPath, keyPath: certificate.keyPath)
      try await Loopback.run(Self.handing(served), configuration) { loop in
        let transport = LoopTransport(
          runtime: loop.runtime, authorityPath: certificate.chainPath)
        let request = WebSocketRequest(
          host: "localhost", port: loop.port, secure: true, path: "/")
        let client = try await transport.openWebSocket(request, timeout: .seconds(20))
        let server = try await Self.first(of: served, loop)
        let sender = loop.runtime.task { await Self.sendAll(300, to: server, taken) }
        await Self.expectAll(300, client)
        await sender.value
        #expect(!taken.entries.contains(true))
      }
    }
  }

  @Test func aMessageTooLongForOneFrameIsNotPrepared() {
    #expect(PreparedMessage(text: String(repeating: "x", count: 16 << 10)) != nil)
    #expect(PreparedMessage(text: String(repeating: "x", count: 16 << 10 + 1)) == nil)
  }

  // MARK: Both ends

  /// Hands the server's end out and keeps it open.
  private static func handing(_ served: Journal<any WebSocketConnection>) -> TestHandler {
    TestHandler(judge: { _ in
      .accept { socket in
        served.note(socket)
        _ = await socket.receive()
      }
    })
  }

  private static func first(
    of served: Journal<any WebSocketConnection>, _ loop: Loopback
  ) async throws -> any WebSocketConnection {
    while served.entries.isEmpty { try await loop.runtime.sleep(for: .milliseconds(1)) }
    return served.entries[0]
  }

  private static func offer(_ text: String, to socket: any WebSocketConnection) -> Bool {
    PreparedMessage(text: text).map { socket.sendNow($0) } ?? false
  }

  /// Sends every message, prepared ones wherever they are taken.
  private static func sendAll(
    _ count: Int, to socket: any WebSocketConnection, _ taken: Journal<Bool>
  ) async {
    for number in 0..<count {
      let isTaken = offer(text(number), to: socket)
      taken.note(isTaken)
      if !isTaken { await socket.send(.text(text(number))) }
    }
  }

  private static func expectAll(_ count: Int, _ socket: any WebSocketConnection) async {
    for number in 0..<count {
      guard await socket.receive() == .message(.text(text(number))) else {
        Issue.record("message \(number) is not the one that was sent")
        return
      }
    }
  }
}
