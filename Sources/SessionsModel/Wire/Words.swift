/// How hard a model reasons before it answers.
public enum Thinking: String, Sendable, Codable, CaseIterable {
  case none, minimal, low, medium, high
}

/// How much a model says.
public enum Verbosity: String, Sendable, Codable, CaseIterable {
  case low, medium, high
}

/// Whether an agent holds a session.
public enum SessionState: String, Sendable, Codable, CaseIterable {
  case live, ended
}

/// What a session has used so far; it only moves up.
public enum Modality: String, Sendable, Codable, CaseIterable {
  case text, voice, video
}

/// How a session's words are made: separate models, one speech-to-speech model, or in writing.
public enum SessionMode: String, Sendable, Codable, CaseIterable {
  case cascade, native, text
}
