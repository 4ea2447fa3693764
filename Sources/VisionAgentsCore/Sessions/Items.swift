import Networking

/// Every step of a session's turns, page by page or all at once.
public struct Items: Sendable {
  /// Steps asked for at a time by ``all()`` and ``unwind()``, the most our router gives.
  static let pageLimit = 200

  let responses: Responses

  /// Reads one page.
  public func page(limit: Int? = nil, cursor: String? = nil) async throws -> Page<ResponseItem> {
    try await responses.items(limit: limit, cursor: cursor)
  }

  /// Reads everything there is, following the cursor.
  public func all() async throws -> [ResponseItem] {
    var items: [ResponseItem] = []
    for try await item in unwind() {
      items.append(item)
    }
    return items
  }

  /// Hands out every step, reading a page whenever one is used up.
  public func unwind() -> AsyncThrowingStream<ResponseItem, any Error> {
    let reader = ItemReader(items: self)
    return AsyncThrowingStream { try await reader.next() }
  }
}

/// Follows the cursor of one reading.
private actor ItemReader {
  private let items: Items
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    items.responses.client.environment.runtime.executor.asUnownedSerialExecutor()
  }

  private var waiting: [ResponseItem] = []
  private var cursor: String?
  private var isAtEnd = false

  init(items: Items) {
    self.items = items
  }

  func next() async throws -> ResponseItem? {
    while waiting.isEmpty, !isAtEnd {
      let page = try await items.page(limit: Items.pageLimit, cursor: cursor)
      waiting = page.items.reversed()
      cursor = page.nextCursor
      isAtEnd = !page.hasMore || cursor == nil
    }
    return waiting.popLast()
  }
}
