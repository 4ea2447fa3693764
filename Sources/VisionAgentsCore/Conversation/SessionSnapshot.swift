import SessionsModel

/// What an `AgentSession` shows, as its connection knows it.
struct SessionSnapshot: Sendable {
  /// Grows with every change, so that an older one never replaces a newer one.
  var version = 0
  var session: Session
  var state = ConversationState.idle
  var isConnected = false
  var failure: AgentsError?
  var turns: [Response] = []
}
