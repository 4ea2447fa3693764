/// Body of `POST /v1/agents/sessions/query`.
public struct SessionQueryRequest: Sendable, Hashable {
  /// Items of a page when the request names no limit (R129).
  public static let defaultLimit = 25
  /// Most items of a page (R129).
  public static let maximumLimit = 200

  public var filter = SessionFilter()
  public var sort: SessionSort?
  public var limit: Int?
  public var cursor: String?

  public init() {}

  /// Most recently active first, unless a text is searched: then best match first.
  public var effectiveSort: SessionSort {
    sort ?? (filter.text == nil ? .updatedAt : .relevance)
  }
}

/// The order of a page; always descending.
public enum SessionSort: String, Sendable, Codable, CaseIterable {
  case updatedAt = "updated_at"
  case relevance
}

extension SessionQueryRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the query")
    filter = try reader.wire("filter", as: SessionFilter.self) ?? SessionFilter()
    sort = try Self.readSort(&reader)
    cursor = try reader.string("cursor")
    if let value = reader.value("limit") {
      guard let number = value.intValue, (1...Self.maximumLimit).contains(number) else {
        throw WireError(
          .limitOutOfRange, "The limit \(value) is not between 1 and \(Self.maximumLimit).")
      }
      limit = number
    }
    try reader.refuseUnknownFields()
    if sort == .relevance, filter.text == nil {
      throw WireError(.invalidField, "Sorting by relevance needs a text condition.")
    }
  }

  private static func readSort(_ reader: inout FieldReader) throws(WireError) -> SessionSort? {
    guard let values = try reader.array("sort"), let first = values.first else { return nil }
    guard values.count == 1 else {
      throw WireError(.invalidField, "The field sort names \(values.count) orders; one is allowed.")
    }
    var order = try FieldReader(first, "sort")
    guard let field = try order.word("field", as: SessionSort.self) else {
      throw order.missing("field")
    }
    if let direction = try order.int("direction", in: Int.min...Int.max), direction != -1 {
      throw order.wrong("direction", .int(direction), "-1")
    }
    try order.refuseUnknownFields()
    return field
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    if filter != SessionFilter() { writer.set("filter", filter.json) }
    if let sort { writer.set("sort", [["field": .string(sort.rawValue), "direction": -1]]) }
    writer.set("limit", limit)
    writer.set("cursor", cursor)
    return writer.json
  }
}
