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
