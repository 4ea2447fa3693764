/// The call a voice session is on.
@MainActor
public final class Call {
  /// Who is on it, and who speaks.
  public let state = CallState()
  /// The call's name: `agent:` and the session's id.
  public nonisolated let cid: String

  init(sessionID: String) {
    cid = "agent:\(sessionID)"
  }
}
