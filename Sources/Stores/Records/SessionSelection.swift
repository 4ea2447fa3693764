public import SessionsModel

/// Which sessions of an app a query asks for, in which order, from where on.
public struct SessionSelection: Sendable, Hashable {
  public var app: String
  /// Only sessions of this owner; nil selects every owner's.
  public var owner: SessionOwner?
  public var filter: SessionFilter
  /// Best match first; needs `filter.text`.
  public var ordersByRelevance = false
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

  /// Hits of a search among which the order is exact; of more only the newest sessions are seen.
  public static let searchedHits = 2_000

  /// A place in the order: best match first where that is asked for, then latest activity, then id,
  /// all descending.
  public struct Position: Sendable, Hashable {
    /// 0 where the order is not by relevance.
    public var score: Int
    /// Milliseconds since 1970.
    public var updatedAt: Int
    public var id: String

    public init(score: Int = 0, updatedAt: Int, id: String) {
      self.score = score
      self.updatedAt = updatedAt
      self.id = id
    }

  }

  /// Where a selected session stands.
  public func position(of record: SessionRecord) -> Position {
    let score = ordersByRelevance ? searchWords.score(record.searchText) ?? 0 : 0
    return Position(
      score: score, updatedAt: record.updatedAt.millisecondsSince1970, id: record.id)
  }
}
