public import SessionsModel

/// Which sessions of an app a query asks for, in which order, from where on.
public struct SessionSelection: Sendable, Hashable {
  public var app: String
  /// Only sessions of this owner; nil selects every owner's.
  public var owner: SessionOwner?
  public var filter: SessionFilter
  /// Continue behind this session.
  public var after: Position?
  public var limit: Int

  public init(
    app: String, owner: SessionOwner? = nil, filter: SessionFilter = SessionFilter(),
    after: Position? = nil, limit: Int
  ) {
    self.app = app
    self.owner = owner
    self.filter = filter
    self.after = after
    self.limit = limit
  }

  /// A place in the order: latest activity first, then id, both descending.
  public struct Position: Sendable, Hashable {
    /// Milliseconds since 1970.
    public var updatedAt: Int
    public var id: String

    public init(updatedAt: Int, id: String) {
      self.updatedAt = updatedAt
      self.id = id
    }

    public init(of record: SessionRecord) {
      self.init(updatedAt: record.updatedAt.millisecondsSince1970, id: record.id)
    }
  }
}
