import Glibc
import Networking
import Testing

struct LoopDialerTests {
  @Test func bytesGoBothWaysAndTheEndIsSeen() async throws {
    try await withRuntime { runtime in
      let server = ScriptedServer(runtime: runtime, head: "welcome")
      let connection = try await LoopDialer(runtime: runtime).connect(
        to: "localhost", port: server.port, timeout: .seconds(20))
      #expect(await connection.write(Array("hello".utf8)))
      #expect(await connection.read() == Array("welcome".utf8))
      server.send("again")
      #expect(await connection.read() == Array("again".utf8))
      server.hangUp()
      #expect(await connection.read() == nil)
      await connection.close()
      #expect(await connection.write([1]) == false)
    }
  }

  @Test func aClosedConnectionWakesItsReader() async throws {
    try await withRuntime { runtime in
      let server = ScriptedServer(runtime: runtime, head: "")
      let connection = try await LoopDialer(runtime: runtime).connect(
        to: "127.0.0.1", port: server.port, timeout: .seconds(20))
      let reading = runtime.task { await connection.read() }
      await connection.close()
      #expect(await reading.value == nil)
    }
  }

  @Test func aConnectionThatIsLetGoLeavesNothingOnTheLoop() async throws {
    // The runtime's end would fail with open handles.
    try await withRuntime { runtime in
      let server = ScriptedServer(runtime: runtime, head: "")
      _ = try await LoopDialer(runtime: runtime).connect(
        to: "127.0.0.1", port: server.port, timeout: .seconds(20))
      _ = try await LoopDialer(runtime: runtime).connect(
        to: "127.0.0.1", port: server.port, timeout: .seconds(20)
      ).write([1])
    }
  }

  @Test func aPortNobodyListensOnIsNamedWithTheReason() async throws {
    await withRuntime { runtime in
      let error = await #expect(throws: TransportError.self) {
        _ = try await LoopDialer(runtime: runtime).connect(
          to: "127.0.0.1", port: 1, timeout: .seconds(20))
      }
      guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
      #expect(detail == "no connection to 127.0.0.1:1: connection refused")
    }
  }

  @Test func anUnknownNameIsNamed() async throws {
    await withRuntime { runtime in
      let error = await #expect(throws: TransportError.self) {
        _ = try await LoopDialer(runtime: runtime).connect(
          to: "nowhere.invalid", port: 1, timeout: .seconds(20))
      }
      guard case .unreachable(let detail)? = error else { return #expect(error == nil) }
      #expect(detail.hasPrefix("nowhere.invalid was not found"))
    }
  }
}
