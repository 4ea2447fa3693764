import Testing

@testable import VisionAgentsCore

struct EventsSocketMachineTests {
  typealias Machine = EventsSocketMachine

  @Test func openedItDeliversEveryFrameOnceAndInOrder() {
    var machine = Machine()
    #expect(machine.handle(.open) == [.connect(nil)])
    #expect(machine.handle(.open) == [], "twice is nothing")
    #expect(machine.handle(.opened) == [.connected(true)])
    #expect(machine.handle(snapshot(seq: 4)) == [.restart, .deliver])
    #expect(machine.handle(frame(4)) == [], "the snapshot already holds it")
    #expect(machine.handle(frame(5)) == [.deliver])
    #expect(machine.handle(frame(5)) == [])
    #expect(machine.handle(frame(nil)) == [.deliver], "a public router numbers nothing")
  }

  @Test func aBrokenSocketGoesOnWhereItWas() {
    var machine = opened(seq: 4)
    _ = machine.handle(frame(5))
    #expect(
      machine.handle(.closed(code: 1006, reason: "", chance: 0)) == [
        .connected(false), .pause(.milliseconds(250)),
      ])
    #expect(machine.handle(.pauseOver) == [.connect(.init(stream: "x", after: 5))])
    #expect(machine.handle(.opened) == [.connected(true)])
    #expect(machine.handle(snapshot(seq: 7)) == [.deliver], "no restart: the frames follow")
    #expect(machine.handle(frame(5)) == [])
    #expect(machine.handle(frame(6)) == [.deliver])
    #expect(machine.handle(frame(7)) == [.deliver])
  }

  @Test func aGapOrARestartedRouterStartsAnewAndReadsWhatWasMissed() {
    var machine = opened(seq: 4)
    _ = machine.handle(.closed(code: 1006, reason: "", chance: 0))
    _ = machine.handle(.pauseOver)
    _ = machine.handle(.opened)
    #expect(machine.handle(snapshot(seq: 2000, gap: true)) == [.restart, .deliver, .refill])
    #expect(machine.handle(frame(2000)) == [])
    #expect(machine.handle(frame(2001)) == [.deliver])

    var other = opened(seq: 4)
    _ = other.handle(.closed(code: 1006, reason: "", chance: 0))
    _ = other.handle(.pauseOver)
    _ = other.handle(.opened)
    #expect(other.handle(snapshot(seq: 1, stream: "y")) == [.restart, .deliver, .refill])
    #expect(other.handle(frame(2)) == [.deliver])
  }

  @Test func farewellsEndItAndDropsDoNot() {
    var left = opened(seq: 1)
    _ = left.handle(.frame(.init(seq: 2, isLeft: true)))
    #expect(
      left.handle(.closed(code: 1006, reason: "", chance: 0)) == [.connected(false), .finish(nil)])
    var normal = opened(seq: 1)
    #expect(
      normal.handle(.closed(code: 1000, reason: "the session ended", chance: 0)).last
        == .finish(nil))
    var slow = opened(seq: 1)
    #expect(
      slow.handle(.closed(code: 4008, reason: "", chance: 0)) == [
        .connected(false), .connect(.init(stream: "x", after: 1)),
      ], "we were too slow: back at once")
    var gone = opened(seq: 1)
    #expect(
      gone.handle(.closed(code: 4404, reason: "session_not_found", chance: 0)).last
        == .finish(
          .http(
            HTTPFailure(status: 404, message: "session_not_found", code: "session_not_found"))))
    var overloaded = opened(seq: 1)
    #expect(
      overloaded.handle(.closed(code: 4013, reason: "", chance: 0)).last
        == .pause(.milliseconds(250)))
  }

  @Test func anExpiredTokenIsRenewedOnce() {
    var machine = opened(seq: 1)
    #expect(
      machine.handle(.closed(code: 4401, reason: "", chance: 0)) == [
        .connected(false), .renewToken,
      ])
    #expect(machine.handle(.tokenRenewed) == [.connect(.init(stream: "x", after: 1))])
    let refusal = HTTPFailure(status: 401, message: "no")
    #expect(
      machine.handle(.refused(refusal, chance: 0)) == [.connected(false), .finish(.http(refusal))])
  }

  @Test func aTokenThatExpiresInAnOutageIsRenewedAgain() {
    var machine = opened(seq: 1)
    let refusal = HTTPFailure(status: 401, message: "expired")
    for _ in 1...3 {
      _ = machine.handle(.closed(code: 1006, reason: "", chance: 0))
      _ = machine.handle(.pauseOver)
      #expect(machine.handle(.refused(refusal, chance: 0)) == [.renewToken])
      #expect(machine.handle(.tokenRenewed) == [.connect(.init(stream: "x", after: 1))])
      // The network goes again before the socket is open.
      #expect(machine.handle(.unreachable(chance: 0)).count == 1)
      _ = machine.handle(.pauseOver)
    }
  }

  @Test func aRefusalForGoodEndsItAndOthersAreTriedAgain() {
    for status in [400, 403, 404] {
      var machine = Machine()
      _ = machine.handle(.open)
      let refusal = HTTPFailure(status: status, message: "no")
      #expect(machine.handle(.refused(refusal, chance: 0)).last == .finish(.http(refusal)))
    }
    for status in [429, 500, 503] {
      var machine = Machine()
      _ = machine.handle(.open)
      let refusal = HTTPFailure(status: status, message: "later")
      #expect(machine.handle(.refused(refusal, chance: 0)) == [.pause(.milliseconds(250))])
    }
  }

  @Test func theFirstOpeningGivesUpAndAnOpenSessionDoesNot() {
    var first = Machine()
    _ = first.handle(.open)
    for _ in 1..<Machine.firstAttempts {
      _ = first.handle(.unreachable(chance: 0))
      #expect(first.handle(.pauseOver) == [.connect(nil)])
    }
    #expect(first.handle(.unreachable(chance: 0)).last == .finish(.unreachable))
    #expect(first.handle(.open) == [.connect(nil)], "start() tries anew")

    var open = opened(seq: 1)
    _ = open.handle(.closed(code: 1006, reason: "", chance: 0))
    for _ in 0..<100 {
      _ = open.handle(.pauseOver)
      #expect(open.handle(.unreachable(chance: 0)).count == 1)
    }
    #expect(open.phase == .pausing)
  }

  @Test func closingIsFinalForLateNews() {
    var machine = opened(seq: 1)
    #expect(machine.handle(.close) == [.disconnect, .connected(false), .finish(nil)])
    #expect(machine.handle(frame(2)) == [])
    #expect(machine.handle(.closed(code: 1000, reason: "", chance: 0)) == [])
    #expect(machine.handle(.pauseOver) == [])
  }

  private func opened(seq: UInt64) -> Machine {
    var machine = Machine()
    _ = machine.handle(.open)
    _ = machine.handle(.opened)
    _ = machine.handle(snapshot(seq: seq))
    return machine
  }

  private func snapshot(seq: UInt64, gap: Bool = false, stream: String = "x") -> Machine.Event {
    .frame(.init(seq: seq, isSnapshot: true, stream: stream, gap: gap))
  }

  private func frame(_ seq: UInt64?) -> Machine.Event {
    .frame(.init(seq: seq))
  }
}
