/// Why the store did not do what was asked.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The app uses the id already.
  case sessionExists(String)
  /// The session was deleted, or never was.
  case sessionMissing(String)
  /// Another turn of the session has the request id.
  case requestExists(String)
  /// More requests wait than the bound allows; the caller should say "try again".
  case overloaded(waiting: Int)
  /// The database answered with an error, or its file cannot be used.
  case failed(String)

  public var description: String {
    switch self {
    case .sessionExists(let id): "a session with the id \(id) exists already"
    case .sessionMissing(let id): "there is no session with the id \(id)"
    case .requestExists(let id): "a response with the request id \(id) exists already"
    case .overloaded(let waiting): "\(waiting) requests are waiting for the session store"
    case .failed(let detail): "the session store failed: \(detail)"
    }
  }
}
