/// Why a call of the SDK failed. Cancellation is never wrapped: it stays `CancellationError`.
public enum AgentsError: Error, Sendable {
  /// The router answered with an error.
  case http(HTTPFailure)
  /// The router could not be reached, or the connection broke.
  case transport(any Error & Sendable)
  /// The router answered something this SDK cannot read; the text says what.
  case unreadable(String)
  /// The session's socket is closed.
  case socketClosed(code: Int, reason: String)
  /// The SDK was set up in a way that cannot work; the text says what to do.
  case configuration(String)
  /// The microphone or the speaker cannot be used; the text says what to do.
  case audio(String)
}

extension AgentsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .http(let failure): "\(failure)"
    case .transport(let error): "the router could not be reached: \(error)"
    case .unreadable(let what): "the router's answer cannot be read: \(what)"
    case .socketClosed(let code, let reason):
      "the session's socket is closed (\(code)\(reason.isEmpty ? "" : ", \(reason)"));"
        + " start() opens it again"
    case .configuration(let what): what
    case .audio(let what): what
    }
  }
}
