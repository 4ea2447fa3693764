/// Why a device is not on a call any more, or never was.
public enum CallFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The router said no: `code` and `message` are its own.
  case refused(code: String, message: String)
  /// The same device joined again from elsewhere.
  case takenOver
  /// The router ended the call.
  case ended(reason: String)
  /// The call could not be joined after so many attempts.
  case unreachable(attempts: Int)

  public var description: String {
    switch self {
    case .refused(let code, let message):
      "the router refused the call (\(code)): \(message)"
    case .takenOver:
      "the call was taken over by another connection of this device; join again to take it back"
    case .ended(let reason):
      "the router ended the call (\(reason))"
    case .unreachable(let attempts):
      "the call's media could not be reached in \(attempts) attempts; check that the router runs"
        + " and that nothing between blocks its WebSocket"
    }
  }
}
