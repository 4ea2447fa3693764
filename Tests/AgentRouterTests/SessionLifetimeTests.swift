import Testing

@testable import AgentRouter

@Suite struct SessionLifetimeTests {
  private func opened() -> SessionLifetime {
    var lifetime = SessionLifetime()
    #expect(lifetime.opened() == .wait(.seconds(600)))
    return lifetime
  }

  @Test func onlyTheLastWatcherDecides() {
    var lifetime = opened()
    #expect(lifetime.watcherJoined() == .cancelTimer)
    #expect(lifetime.watcherJoined() == .cancelTimer)
    #expect(lifetime.watcherLeft(normally: true, isVoiceOn: false) == nil)
    #expect(lifetime.watcherLeft(normally: true, isVoiceOn: false) == .end)
  }

  @Test func aTimerThatFiresLateDoesNothingToAWatchedSession() {
    var lifetime = opened()
    _ = lifetime.watcherJoined()
    #expect(lifetime.timerFired(sinceLastAnswer: .seconds(9000), isBusy: false) == nil)
  }

  @Test func anAnswerAndABusyAgentPutTheEndOff() {
    var lifetime = opened()
    #expect(
      lifetime.timerFired(sinceLastAnswer: .seconds(100), isBusy: false) == .wait(.seconds(500)))
    #expect(
      lifetime.timerFired(sinceLastAnswer: .seconds(700), isBusy: true) == .wait(.seconds(600)))
    #expect(lifetime.timerFired(sinceLastAnswer: .seconds(600), isBusy: false) == .end)
  }

  @Test func aDroppedSocketIsWaitedForThirtySecondsWhateverTheAgentDoes() {
    var lifetime = opened()
    _ = lifetime.watcherJoined()
    #expect(lifetime.watcherLeft(normally: false, isVoiceOn: false) == .wait(.seconds(30)))
    #expect(lifetime.timerFired(sinceLastAnswer: .zero, isBusy: true) == .end)
  }

  @Test func theCallKeepsASessionWithVoiceOn() {
    var lifetime = opened()
    _ = lifetime.watcherJoined()
    #expect(lifetime.watcherLeft(normally: true, isVoiceOn: true) == .wait(.seconds(600)))
  }
}
