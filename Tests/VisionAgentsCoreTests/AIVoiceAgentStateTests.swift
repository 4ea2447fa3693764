import CallTransport
import Testing

@testable import VisionAgentsCore

struct AIVoiceAgentStateTests {
  /// R77, R81: what the device's way onto the call alone decides.
  @Test(arguments: [
    (CallStateMachine.Phase.idle, AIVoiceAgentState.connecting), (.joining, .connecting),
    (.reconnecting, .connecting), (.left, .idle),
  ])
  func untilJoinedAndAfterLeavingNothingElseCounts(
    phase: CallStateMachine.Phase, expected: AIVoiceAgentState
  ) {
    for session in sessions {
      for speaks in [(false, false), (true, false), (false, true), (true, true)] {
        #expect(
          AIVoiceAgentState.of(
            phase: phase, remoteSpeaks: speaks.0, localSpeaks: speaks.1, session: session)
            == expected)
      }
    }
  }

  /// R95, R78, R79, R82.
  @Test func whoSpeaksComesBeforeTheSession() {
    for session in sessions {
      #expect(joined(remote: true, local: true, session) == .speaking)
      #expect(joined(remote: true, local: false, session) == .speaking)
      #expect(joined(remote: false, local: true, session) == .listening)
    }
  }

  /// R95, R80.
  @Test(arguments: [
    (AgentSession.State.listening, AIVoiceAgentState.listening), (.responding, .thinking),
    (.working(["search"]), .thinking), (.working([]), .thinking), (.idle, .idle), (.ended, .idle),
  ])
  func inSilenceTheSessionDecides(session: AgentSession.State, expected: AIVoiceAgentState) {
    #expect(joined(remote: false, local: false, session) == expected)
  }

  private let sessions: [AgentSession.State] = [
    .idle, .listening, .responding, .working(["search"]), .ended,
  ]

  private func joined(
    remote: Bool, local: Bool, _ session: AgentSession.State
  ) -> AIVoiceAgentState {
    .of(phase: .joined, remoteSpeaks: remote, localSpeaks: local, session: session)
  }
}
