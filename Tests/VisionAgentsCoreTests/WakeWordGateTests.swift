import Testing

@testable import VisionAgentsCore

/// When the microphone goes to the call.
@Suite struct WakeWordGateTests {
  private static let pause = Duration.seconds(8)

  private func script(_ gate: inout WakeWordGate, _ events: WakeWordGate.Event...)
    -> [WakeWordGate.Action]
  {
    events.flatMap { gate.handle($0) }
  }

  @Test func whoeverTalksInTheRoomDoesNotOpenIt() {
    var gate = WakeWordGate(followUp: Self.pause)
    #expect(script(&gate, .personSpeaks(true), .personSpeaks(false), .pauseOver(0)) == [])
    #expect(!gate.isOpen)
  }

  @Test func theWordOpensItForAWhile() {
    var gate = WakeWordGate(followUp: Self.pause)
    #expect(gate.handle(.called) == [.open(isCalled: true), .pause(Self.pause, 1)])
    #expect(gate.handle(.pauseOver(1)) == [.close])
    #expect(!gate.isOpen)
  }

  @Test func whoeverSpeaksKeepsItOpen() {
    var gate = WakeWordGate(followUp: Self.pause)
    _ = gate.handle(.called)
    #expect(gate.handle(.personSpeaks(true)) == [])
    #expect(gate.handle(.pauseOver(1)) == [], "somebody speaks since")
    #expect(gate.handle(.personSpeaks(false)) == [.pause(Self.pause, 3)])
    #expect(gate.handle(.agentSpeaks(true)) == [])
    #expect(gate.handle(.pauseOver(3)) == [], "the agent answers")
    #expect(gate.handle(.agentSpeaks(false)) == [.pause(Self.pause, 5)])
    #expect(gate.handle(.pauseOver(5)) == [.close])
  }

  @Test func aWordSaidWhileItIsOpenPutsTheEndOff() {
    var gate = WakeWordGate(followUp: Self.pause)
    _ = gate.handle(.called)
    #expect(gate.handle(.called) == [.pause(Self.pause, 2)])
    #expect(gate.handle(.pauseOver(1)) == [])
    #expect(gate.isOpen)
  }

  @Test func theWordSaidWithinSpeechWaitsForItsEnd() {
    var gate = WakeWordGate(followUp: Self.pause)
    #expect(script(&gate, .personSpeaks(true), .called) == [.open(isCalled: true)])
    #expect(gate.handle(.personSpeaks(false)) == [.pause(Self.pause, 2)])
  }

  @Test func anAgentThatBeginsByItselfOpensIt() {
    var gate = WakeWordGate(followUp: Self.pause)
    #expect(gate.handle(.agentSpeaks(true)) == [.open(isCalled: false)], "nothing of before")
    #expect(gate.handle(.agentSpeaks(false)) == [.pause(Self.pause, 2)])
  }

  @Test func aReleasedDeviceForgetsWhoSpoke() {
    var gate = WakeWordGate(followUp: Self.pause)
    _ = script(&gate, .called, .agentSpeaks(true))
    #expect(gate.handle(.released) == [.close])
    #expect(gate.handle(.called).first == .open(isCalled: true))
  }
}
