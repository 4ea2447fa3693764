import CallTransport
import Networking
import Synchronization
import Testing

struct WebSocketCallTransportTests {
  let runtime = ManualRuntime()

  @Test func framesLeaveInOrder() throws {
    let connection = ScriptedConnection()
    let transport = WebSocketCallTransport(connection, runtime: runtime)
    let frames = (0..<5).map { frame(sequence: $0) }
    run { await transport.send(frames) }
    #expect(try connection.sent == binaries(frames))
  }

  @Test func aStuffedNetworkCostsTheOldestSpeechAndNeverTheSender() throws {
    let connection = ScriptedConnection(unsentBytes: 1 << 20)
    let transport = WebSocketCallTransport(connection, runtime: runtime, queueBound: 4)
    let end = MediaFrame(kind: .end, generation: 1, sequence: 2, timestamp: 0)
    let frames = [frame(sequence: 1), end] + (3...8).map { frame(sequence: $0) }
    run { await transport.send(frames) }
    #expect(connection.sent == [])
    connection.setUnsentBytes(0)
    runtime.advance(by: .milliseconds(20))
    let kept = [end] + (6...8).map { frame(sequence: $0) }
    #expect(try connection.sent == binaries(kept))
    #expect(run { await transport.counters }.droppedAtBound == 4)
  }

  @Test func aFlushTakesBackEarlierGenerationsOnly() throws {
    let connection = ScriptedConnection(unsentBytes: 1 << 20)
    let transport = WebSocketCallTransport(connection, runtime: runtime)
    let later = frame(sequence: 3, generation: 2)
    run {
      await transport.send([
        self.frame(sequence: 1, generation: 1), self.frame(sequence: 2, generation: 1), later,
      ])
      await transport.discard(generationsBefore: 2)
    }
    connection.setUnsentBytes(0)
    runtime.advance(by: .milliseconds(20))
    let bytes = try later.encoded()
    #expect(connection.sent == [.binary(bytes)])
    #expect(run { await transport.counters }.discarded == 2)
  }

  @Test func malformedMessagesAreCountedAndSkipped() throws {
    let good = frame(sequence: 1)
    let connection = ScriptedConnection(events: [
      .message(.text("hello")), .message(.binary([1, 2, 3])), .message(.binary(try good.encoded())),
      .closed(code: 1001, reason: "bye"),
    ])
    let transport = WebSocketCallTransport(connection, runtime: runtime)
    #expect(run { await transport.receive() } == .frame(good))
    #expect(run { await transport.receive() } == .closed(code: 1001, reason: "bye"))
    #expect(run { await transport.receive() } == nil)
    let counters = run { await transport.counters }
    #expect(counters.malformed == 2 && counters.received == 1)
  }

  @Test func nothingIsSentAfterClose() {
    let connection = ScriptedConnection(unsentBytes: 1 << 20)
    let transport = WebSocketCallTransport(connection, runtime: runtime)
    run {
      await transport.send([self.frame(sequence: 1)])
      await transport.close(code: 1000, reason: "left")
      await transport.close(code: 1000, reason: "left")
      await transport.send([self.frame(sequence: 2)])
    }
    connection.setUnsentBytes(0)
    runtime.advance(by: .seconds(1))
    #expect(connection.sent == [])
    #expect(connection.closes == [1000])
  }

  private func frame(sequence: Int, generation: UInt32 = 1) -> MediaFrame {
    MediaFrame(
      kind: .opus, generation: generation, sequence: UInt32(sequence),
      timestamp: UInt32(sequence) * 960, payload: [UInt8(sequence)])
  }

  private func binaries(_ frames: [MediaFrame]) throws -> [WebSocketMessage] {
    try frames.map { .binary(try $0.encoded()) }
  }

  /// Runs `body` on the runtime until nothing is left to do, and returns its result.
  @discardableResult
  private func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let result = Mutex<Value?>(nil)
    Task(executorPreference: runtime.queue) {
      let value = await body()
      result.withLock { $0 = value }
    }
    runtime.settle()
    return result.withLock { $0 }!
  }
}
