/// Whose session it is: its opener's user and kind, never only a name (contract part 1, 1.1).
public struct SessionOwner: Sendable, Hashable {
  public enum Kind: String, Sendable {
    /// A signed-in user, or a backend acting for one.
    case user
    /// Someone whose name nobody vouches for: another owner than the user of that name.
    case guest
    /// A backend on its own account.
    case backend
  }

  public var kind: Kind
  /// Empty for a backend on its own account.
  public var userID: String

  public init(kind: Kind, userID: String) {
    self.kind = kind
    self.userID = userID
  }
}
