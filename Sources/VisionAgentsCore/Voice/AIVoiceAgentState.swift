import CallTransport

/// What a voice agent is doing, as a person should see it.
public enum AIVoiceAgentState: String, Sendable, Hashable, CaseIterable {
  /// This device has not joined yet, or is coming back.
  case connecting
  /// The agent is heard.
  case speaking
  /// The caller is heard or transcribed.
  case listening
  /// The agent answers, or its skills work, and its reply is not heard yet.
  case thinking
  case idle

  /// The state of a voice session, worked out from the call and the session.
  @MainActor
  public static func of(voice: VoiceSession) -> Self {
    of(
      phase: voice.phase,
      remoteSpeaks: voice.call?.state.remoteParticipants.contains(where: \.isSpeaking) ?? false,
      localSpeaks: voice.call?.state.localParticipant?.isSpeaking ?? false,
      session: voice.session.state)
  }

  /// The seed's rule: the call says who speaks, and only then the session counts.
  static func of(
    phase: CallStateMachine.Phase, remoteSpeaks: Bool, localSpeaks: Bool,
    session: AgentSession.State
  ) -> Self {
    switch phase {
    case .idle, .joining, .reconnecting: return .connecting
    case .left: return .idle
    case .joined: break
    }
    if remoteSpeaks { return .speaking }
    if localSpeaks { return .listening }
    switch session {
    case .listening: return .listening
    case .responding, .working: return .thinking
    case .idle, .ended: return .idle
    }
  }
}
