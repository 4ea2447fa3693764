import Networking
import SessionsModel
import Simulation
import Testing

@testable import AgentRouter

@Suite struct EventWatcherTests {
  private func watcher(version2: Bool = true) -> EventWatcher {
    var options = WatchOptions()
    options.isVersion2 = version2
    return EventWatcher(id: "w", caller: Caller(app: "a", kind: .backend), options: options)
  }

  private func frame(_ number: Int) -> Frame {
    Frame(.heard, ["n": .int(number)], seq: UInt64(number))
  }

  @Test func aWatcherOneFrameTooFarBehindIsClosedAndItsFramesAreDropped() async {
    let watcher = watcher()
    for number in 1...256 { watcher.offer(frame(number)) }
    #expect(watcher.waitingFrames == 256)
    watcher.offer(frame(257))
    guard case .close(let code, _) = await watcher.next() else {
      Issue.record("it was not closed")
      return
    }
    #expect(code == 4008)
    #expect(await watcher.next() == nil)
  }

  @Test func aReplayDoesNotCountAgainstTheBound() async {
    let watcher = watcher()
    watcher.replay((1...1024).map(frame))
    for number in 1025...1280 { watcher.offer(frame(number)) }
    for number in 1...1280 { #expect(await watcher.next() == .send(frame(number))) }
    for number in 1281...1536 { watcher.offer(frame(number)) }
    #expect(watcher.waitingFrames == 256)
    #expect(await watcher.next() == .send(frame(1281)))
  }

  @Test func whatWasQueuedIsSentBeforeTheClose() async {
    let watcher = watcher()
    watcher.offer(frame(1))
    watcher.close(code: 1000, reason: "the session ended")
    watcher.offer(frame(2))
    #expect(await watcher.next() == .send(frame(1)))
    #expect(await watcher.next() == .close(code: 1000, reason: "the session ended"))
    #expect(await watcher.next() == nil)
  }

  @Test func aWaitingSocketGetsTheNextFrameOrTheEnd() throws {
    let runtime = SimulatedRuntime(seed: 3)
    let watcher = watcher()
    let steps = Shared<[EventWatcher.Step?]>([])
    runtime.task {
      while true {
        let step = await watcher.next()
        steps.value.append(step)
        if step == nil { return }
      }
    }
    runtime.run(for: .milliseconds(1))
    watcher.offer(frame(1))
    runtime.run(for: .milliseconds(1))
    #expect(steps.value == [.send(frame(1))])
    watcher.abandon()
    runtime.run(for: .milliseconds(1))
    #expect(steps.value == [.send(frame(1)), nil])
  }

  @Test func aSocketThatKeepsUpGetsAFrameAtOnceAndElseThroughTheQueueInOrder() {
    let runtime = SimulatedRuntime(seed: 4)
    let socket = TakingSocket()
    let watcher = EventWatcher(
      id: "w", caller: Caller(app: "a", kind: .backend), options: WatchOptions(), socket: socket)
    let steps = Shared<[EventWatcher.Step?]>([])
    func offer(_ number: Int) {
      var shared = SharedFrame(frame(number))
      watcher.offer(&shared)
    }
    // Nobody waits yet: what is sent now would overtake what is queued.
    offer(1)
    #expect(socket.offered.value == 0)
    runtime.task {
      while let step = await watcher.next() { steps.value.append(step) }
    }
    runtime.run(for: .milliseconds(1))
    offer(2)
    #expect(socket.offered.value == 1)
    socket.takes.value = false
    offer(3)
    runtime.run(for: .milliseconds(1))
    #expect(socket.offered.value == 2)
    watcher.abandon()
    runtime.run(for: .milliseconds(1))
    let queued = [1, 3].map { EventWatcher.Step?.some(.send(frame($0).withoutSequence)) }
    #expect(steps.value == queued)
  }

  @Test func aPublicClientSeesThePublicProtocolOnly() async {
    let watcher = watcher(version2: false)
    watcher.offer(Frame(.snapshot))
    watcher.offer(Frame(.sessionState))
    watcher.offer(frame(1))
    #expect(await watcher.next() == .send(Frame(.heard, ["n": 1])))
    #expect(watcher.waitingFrames == 0)
  }

  @Test func aWatcherDeclaresTheToolsOfItsQuery() throws {
    func options(_ tools: String) throws(APIError) -> WatchOptions {
      try WatchOptions(query: HTTPRequest(.get, "/", query: [("tools", tools)]))
    }
    let caller = Caller(app: "a", kind: .backend)
    let watcher = EventWatcher(id: "w", caller: caller, options: try options("find_order,book"))
    #expect(watcher.declaredTools == ["find_order", "book"])
    #expect(try options("").tools.isEmpty)
    #expect(throws: APIError.self) { try options("find order") }
    let many = (0..<129).map { "t\($0)" }.joined(separator: ",")
    #expect(throws: APIError.self) { try options(many) }
  }
}

/// Takes or refuses what it is to send at once.
private final class TakingSocket: WebSocketConnection {
  let takes = Shared(true)
  let offered = Shared(0)

  func sendNow(_ message: PreparedMessage) -> Bool {
    offered.value += 1
    return takes.value
  }
  func send(_ message: WebSocketMessage) async {}
  var unsentBytes: Int { get async { 0 } }
  func receive() async -> WebSocketEvent? { nil }
  func close(code: Int, reason: String) async {}
}
