import CallTransport
import Testing

struct CallStateMachineTests {
  @Test func aJoinRunsThroughSignallingToMedia() {
    var call = CallStateMachine()
    #expect(call.handle(.join) == [.enter(.joining), .announceJoin])
    #expect(call.handle(.answered(media: "/m?token=1")) == [.openMedia(path: "/m?token=1")])
    #expect(call.handle(.mediaOpened) == [.enter(.joined)])
    #expect(call.handle(.join) == [])
    #expect(call.handle(.leave) == [.announceLeave, .closeMedia, .enter(.left)])
    #expect(call.handle(.leave) == [])
  }

  @Test func brokenMediaIsRejoinedAfterAPause() {
    var call = joined()
    #expect(
      call.handle(.mediaLost(chance: 0)) == [
        .closeMedia, .enter(.reconnecting), .pause(.milliseconds(250)),
      ])
    #expect(call.handle(.mediaLost(chance: 0)) == [], "one pause at a time")
    #expect(call.handle(.pauseOver) == [.announceJoin])
    #expect(call.handle(.answered(media: "/again")) == [.openMedia(path: "/again")])
    #expect(call.handle(.mediaOpened) == [.enter(.joined)])
    #expect(
      call.handle(.mediaLost(chance: 0)).last == .pause(.milliseconds(250)),
      "success makes the next pause short again")
  }

  @Test func aJoinedCallNeverGivesUpAndItsPausesAreBounded() {
    var call = joined()
    var pauses: [CallStateMachine.Action] = []
    for _ in 0..<40 {
      pauses.append(call.handle(.mediaLost(chance: 0)).last!)
      #expect(call.handle(.pauseOver) == [.announceJoin])
      #expect(call.phase == .reconnecting)
    }
    #expect(pauses[1] == .pause(.milliseconds(500)))
    #expect(pauses[39] == .pause(.seconds(8)))
  }

  @Test func theFirstJoinFailsAfterItsAttempts() {
    var call = CallStateMachine()
    _ = call.handle(.join)
    for _ in 1..<CallStateMachine.firstJoinAttempts {
      _ = call.handle(.answerOverdue(chance: 0))
      #expect(call.handle(.pauseOver) == [.announceJoin])
    }
    #expect(
      call.handle(.mediaLost(chance: 0)) == [
        .fail(.unreachable(attempts: 5)), .closeMedia, .enter(.left),
      ])
    #expect(call.handle(.join) == [.enter(.joining), .announceJoin], "the user may try again")
  }

  @Test func aBrokenEventsSocketLeavesRunningMediaAlone() {
    var call = joined()
    #expect(call.handle(.signallingLost) == [])
    #expect(call.handle(.signallingResumed) == [.announceJoin], "or we lose our place in 30 s")
    #expect(call.handle(.answered(media: "again")) == [])
    #expect(call.phase == .joined)
  }

  @Test func whileTheEventsSocketIsDownAJoinWaitsForIt() {
    var call = joined()
    _ = call.handle(.signallingLost)
    _ = call.handle(.mediaLost(chance: 0))
    #expect(call.handle(.pauseOver) == [])
    #expect(call.handle(.signallingResumed) == [.announceJoin])
  }

  @Test func takeoverAndRefusalEndTheCallWithTheirReason() {
    var call = joined()
    #expect(
      call.handle(.ended(reason: "taken_over")) == [.fail(.takenOver), .closeMedia, .enter(.left)])
    #expect(call.handle(.mediaLost(chance: 0)) == [], "late news changes nothing")

    var refused = CallStateMachine()
    _ = refused.handle(.join)
    #expect(
      refused.handle(.refused(code: "voice_off", message: "written")).first
        == .fail(.refused(code: "voice_off", message: "written")))
    #expect(refused.phase == .left)
  }

  @Test func leavingDuringAPauseEndsIt() {
    var call = joined()
    _ = call.handle(.mediaLost(chance: 0))
    #expect(call.handle(.leave) == [.announceLeave, .closeMedia, .enter(.left)])
    #expect(call.handle(.pauseOver) == [])
  }

  private func joined() -> CallStateMachine {
    var call = CallStateMachine()
    _ = call.handle(.join)
    _ = call.handle(.answered(media: "/m"))
    _ = call.handle(.mediaOpened)
    return call
  }
}

struct BackOffTests {
  @Test func chanceShortensAPauseByHalfAtMost() {
    for chance in 0..<2048 {
      var backOff = BackOff()
      let pause = backOff.next(chance: UInt64(chance))
      #expect(pause > .milliseconds(125) && pause <= .milliseconds(250))
    }
  }

  @Test func aRestartedRouterIsAskedForVoiceOnceAndTheCallIsRejoined() {
    var machine = CallStateMachine()
    _ = machine.handle(.join)
    _ = machine.handle(.answered(media: "m"))
    _ = machine.handle(.mediaOpened)
    #expect(machine.handle(.routerRestarted) == [])
    #expect(machine.handle(.refused(code: "voice_off", message: "written")) == [.askForVoice])
    #expect(
      machine.handle(.mediaLost(chance: 0)).contains(.enter(.reconnecting)), "its media break too")
    #expect(machine.handle(.voiceStarted) == [], "the pause is waited for")
    #expect(machine.handle(.pauseOver) == [.announceJoin])
    #expect(machine.handle(.answered(media: "n")) == [.openMedia(path: "n")])
    #expect(machine.handle(.mediaOpened) == [.enter(.joined)])
    // Voice that somebody stops later is not asked for again.
    #expect(
      machine.handle(.refused(code: "voice_off", message: "written")).first
        == .fail(.refused(code: "voice_off", message: "written")))
  }

  @Test func aRouterThatCannotGiveVoiceYetIsAskedAgainAfterAPause() {
    var machine = CallStateMachine()
    _ = machine.handle(.join)
    _ = machine.handle(.answered(media: "m"))
    _ = machine.handle(.mediaOpened)
    _ = machine.handle(.routerRestarted)
    _ = machine.handle(.refused(code: "voice_off", message: "written"))
    let actions = machine.handle(.voiceLost(chance: 0))
    #expect(actions.contains { if case .pause = $0 { true } else { false } })
    #expect(machine.handle(.pauseOver) == [.announceJoin])
    #expect(machine.handle(.refused(code: "voice_off", message: "written")) == [.askForVoice])
  }
}
