import Synchronization

/// Who speaks to the router, and how that is proven.
final class Credentials: Sendable {
  enum Mode: Sendable {
    /// A user's device: key, user, and a token the app's backend signed.
    case device(apiKey: String)
    /// A backend: it signs its own tokens.
    case backend(apiKey: String, secret: String)
    /// A router without authentication: the customer's name is believed.
    case customer(id: String)
  }

  /// The user, and where tokens come from; `version` tells one `setUser` from the next.
  struct Identity: Sendable {
    var user: User?
    var provider: TokenProvider?
    var version = 0
  }

  let mode: Mode
  private let current = Mutex(Identity())

  init(_ mode: Mode) {
    self.mode = mode
  }

  var identity: Identity { current.withLock { $0 } }

  func set(_ user: User?, provider: TokenProvider?) {
    current.withLock { identity in
      identity.user = user
      identity.provider = provider
      identity.version += 1
    }
  }

  /// The public key; nil for a router without authentication.
  var apiKey: String? {
    switch mode {
    case .device(let key), .backend(let key, _): key
    case .customer: nil
    }
  }
}
