/// One page of a list and where the next one starts.
public struct WirePage<Item: WireValue>: Sendable {
  public var items: [Item]
  public var hasMore: Bool
  /// Goes back as `cursor`, with the same filter and sort.
  public var nextCursor: String?

  public init(items: [Item], nextCursor: String?) {
    self.items = items
    hasMore = nextCursor != nil
    self.nextCursor = nextCursor
  }
}

extension WirePage: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a page")
    items = []
    for value in try reader.array("items") ?? [] {
      items.append(try Item(json: value))
    }
    hasMore = try reader.bool("has_more") ?? false
    nextCursor = try reader.string("next_cursor")
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("items", .array(items.map(\.json)))
    writer.set("has_more", hasMore)
    writer.set("next_cursor", nextCursor)
    return writer.json
  }
}
