import SessionsModel

/// What a session's socket tells the call it carries.
enum CallSignal: Sendable {
  /// A `call.` frame.
  case frame(Frame)
  /// The socket opened or broke.
  case connected(Bool)
  /// The socket came back to a router that was restarted.
  case restarted
  /// The session is over.
  case ended
}
