/// What the agent is doing in a session (seed, "Voice UI").
public enum ConversationState: Sendable, Hashable {
  case idle
  case listening
  case responding
  /// With the skills at work.
  case working([String])
  case ended

  /// The wire's word.
  public var name: String {
    switch self {
    case .idle: "idle"
    case .listening: "listening"
    case .responding: "responding"
    case .working: "working"
    case .ended: "ended"
    }
  }

  public var skills: [String] {
    guard case .working(let skills) = self else { return [] }
    return skills
  }

  public init?(name: String, skills: [String] = []) {
    switch name {
    case "idle": self = .idle
    case "listening": self = .listening
    case "responding": self = .responding
    case "working": self = .working(skills)
    case "ended": self = .ended
    default: return nil
    }
  }
}
