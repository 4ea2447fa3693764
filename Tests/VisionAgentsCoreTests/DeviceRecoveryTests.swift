import Networking
import Testing

@testable import VisionAgentsCore

@Suite struct DeviceRecoveryTests {
  private func instant(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  /// The pause that an answer asks for.
  private func pause(_ actions: [DeviceRecovery.Action]) -> (duration: Duration, number: Int)? {
    for case .pause(let duration, let number) in actions { return (duration, number) }
    return nil
  }

  @Test func aLostDeviceIsClosedAtOnceAndAskedForRightAway() {
    var recovery = DeviceRecovery()
    #expect(recovery.handle(.opened(at: instant(0))) == [.tell(.present)])
    #expect(
      recovery.handle(.lost(reason: "unplugged", at: instant(60)))
        == [.tell(.lost(reason: "unplugged")), .close])
    #expect(recovery.handle(.closed(chance: 0)) == [.open])
    #expect(recovery.handle(.opened(at: instant(61))) == [.tell(.present)])
    #expect(recovery.losses == 1 && recovery.attempts == 1 && recovery.returns == 1)
  }

  @Test func pausesGrowToLessThanASecond() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    _ = recovery.handle(.closed(chance: 0))
    var durations: [Duration] = []
    for _ in 0..<200 {
      guard let next = pause(recovery.handle(.refused(reason: "not there", chance: 0))) else {
        Issue.record("no pause")
        return
      }
      durations.append(next.duration)
      #expect(recovery.handle(.pauseOver(next.number)) == [.open])
    }
    #expect(durations.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
    #expect(durations.max() == .milliseconds(900))
    #expect(recovery.attempts == 201)
  }

  @Test func newsOfACardEndsThePause() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    #expect(recovery.handle(.cardsChanged) == [])
    #expect(recovery.handle(.closed(chance: 0)) == [.open])
    #expect(recovery.handle(.cardsChanged) == [])
    // News that came while it was tried: tried again at once, its nodes may be usable now.
    #expect(
      recovery.handle(.refused(reason: "no permission yet", chance: 0))
        == [.tell(.lost(reason: "no permission yet")), .open])
    let number = pause(recovery.handle(.refused(reason: "", chance: 0)))?.number
    #expect(recovery.handle(.cardsChanged) == [.open])
    #expect(recovery.handle(.pauseOver(number ?? 0)) == [])
  }

  /// A loose cable must not open and close the device without a pause.
  @Test func aDeviceThatIsLostAgainAtOnceIsNotBelieved() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    _ = recovery.handle(.closed(chance: 0))
    let first = pause(recovery.handle(.refused(reason: "", chance: 0)))
    _ = recovery.handle(.pauseOver(first?.number ?? 0))
    _ = recovery.handle(.opened(at: instant(61)))
    _ = recovery.handle(.lost(reason: "", at: instant(62)))
    #expect(pause(recovery.handle(.closed(chance: 0)))?.duration == .milliseconds(400))
  }

  @Test func speechThatWaitedTooLongIsDropped() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    _ = recovery.handle(.closed(chance: 0))
    #expect(recovery.handle(.opened(at: instant(71))) == [.dropSpeech, .tell(.present)])
  }

  @Test func nothingHappensOnceNobodyWantsIt() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    #expect(recovery.handle(.released) == [])
    #expect(recovery.handle(.closed(chance: 0)) == [])
    #expect(recovery.handle(.cardsChanged) == [])
    #expect(recovery.handle(.lost(reason: "", at: instant(62))) == [])
  }

  @Test func aSideThatIsGoneIsAskedForWhileTheOtherGoesOn() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    #expect(
      recovery.handle(.partlyLost(reason: "no speaker", at: instant(60)))
        == [.tell(.lost(reason: "no speaker")), .open])
    let number = pause(recovery.handle(.refused(reason: "not there", chance: 0)))?.number
    #expect(recovery.handle(.cardsChanged) == [.open])
    #expect(recovery.handle(.pauseOver(number ?? 0)) == [])
    #expect(recovery.handle(.opened(at: instant(61))) == [.tell(.present)])
    #expect(recovery.losses == 1 && recovery.attempts == 2 && recovery.returns == 1)
    // The reply has waited for its speaker for too long.
    _ = recovery.handle(.partlyLost(reason: "no speaker", at: instant(70)))
    #expect(recovery.handle(.opened(at: instant(81))) == [.dropSpeech, .tell(.present)])
  }

  /// The other side goes as well, at any moment of the search.
  @Test(arguments: [false, true]) func theRestThatIsLostTooIsClosed(isPausing: Bool) {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.partlyLost(reason: "no speaker", at: instant(60)))
    if isPausing { _ = recovery.handle(.refused(reason: "", chance: 0)) }
    #expect(
      recovery.handle(.lost(reason: "all gone", at: instant(61)))
        == [.tell(.lost(reason: "all gone")), .close])
    // What the attempt that was under way came to is of no interest any more.
    #expect(recovery.handle(.opened(at: instant(61))) == [])
    #expect(recovery.handle(.refused(reason: "", chance: 0)) == [])
    #expect(recovery.handle(.closed(chance: 0)).count == 1)
    _ = recovery.handle(.cardsChanged)
    #expect(recovery.handle(.opened(at: instant(62))) == [.tell(.present)])
  }

  @Test func aDeviceThatIsMissingAtTheStartIsLookedFor() {
    var recovery = DeviceRecovery()
    let first = recovery.handle(.missing(reason: "not there", at: instant(0), chance: 0))
    #expect(first.first == .tell(.lost(reason: "not there")))
    #expect(pause(first)?.duration == .milliseconds(200))
    #expect(recovery.isLost)
    #expect(recovery.handle(.cardsChanged) == [.open])
    #expect(recovery.handle(.opened(at: instant(5))) == [.tell(.present)])
  }

  /// The device's own thread may be quicker than the one who opens it.
  @Test func whatIsLostBeforeItsOpeningWasToldIsLostAllTheSame() {
    var recovery = DeviceRecovery()
    _ = recovery.handle(.opened(at: instant(0)))
    _ = recovery.handle(.lost(reason: "", at: instant(60)))
    _ = recovery.handle(.closed(chance: 0))
    #expect(recovery.handle(.lost(reason: "again", at: instant(61))) == [])
    #expect(
      recovery.handle(.opened(at: instant(61)))
        == [.tell(.present), .tell(.lost(reason: "again")), .close])
  }
}
