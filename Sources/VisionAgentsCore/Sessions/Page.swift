import SessionsModel

/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
  public let items: [Item]
  public let hasMore: Bool
  /// Goes into the next query as `cursor`, with the same conditions.
  public let nextCursor: String?

  init<Wire>(_ page: WirePage<Wire>, item: (Wire) -> Item) {
    items = page.items.map(item)
    hasMore = page.hasMore
    nextCursor = page.nextCursor
  }
}
