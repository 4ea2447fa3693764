public import Stores

/// Who asks: which app, which user, and whether it is the app's backend.
public struct Caller: Sendable, Hashable {
  public enum Kind: String, Sendable {
    case backend, device
    /// A device whose user nobody vouches for.
    case guest
  }

  /// The API key, or in `noauth` mode the customer's id.
  public var app: String
  public var kind: Kind
  /// The device's user, or the user a backend acts for; nil for a backend on its own account.
  public var userID: String?
  /// When the token ends, in seconds since 1970; nil when it does not.
  public var expiresAt: Int?

  public init(app: String, kind: Kind, userID: String? = nil, expiresAt: Int? = nil) {
    self.app = app
    self.kind = kind
    self.userID = userID
    self.expiresAt = expiresAt
  }

  public var isBackend: Bool { kind == .backend }

  /// Who owns what this caller opens. A session a backend opens for a user is that user's.
  public var owner: SessionOwner {
    switch kind {
    case .device: SessionOwner(kind: .user, userID: userID ?? "")
    case .guest: SessionOwner(kind: .guest, userID: userID ?? "")
    case .backend:
      userID.map { SessionOwner(kind: .user, userID: $0) }
        ?? SessionOwner(kind: .backend, userID: "")
    }
  }

  /// Whether this caller may know that a session exists; if not, it is told 404, never 403.
  public func canReach(_ session: SessionRecord) -> Bool {
    canReach(session.app, session.owner)
  }

  func canReach(_ app: String, _ owner: SessionOwner) -> Bool {
    app == self.app && (isBackend || owner == self.owner)
  }
}
