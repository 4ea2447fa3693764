import Networking
import SessionsModel
import Stores

/// `limit` and `cursor` of a list that is read oldest first.
struct PageRequest {
  static let defaultLimit = 25

  let limit: Int
  let after: Int
  private let scope: String

  /// - Parameter scope: names the list, so that a cursor of another one is refused.
  init(_ request: HTTPRequest, maximum: Int, scope: String) throws(APIError) {
    self.scope = scope
    if let text = request.queryValue("limit") {
      guard let number = Int(text), (1...maximum).contains(number) else {
        throw APIError(.limitOutOfRange, "The limit '\(text)' is not between 1 and \(maximum).")
      }
      limit = number
    } else {
      limit = Self.defaultLimit
    }
    if let cursor = request.queryValue("cursor"), !cursor.isEmpty {
      let position = try PageCursor.decode(cursor, scope: scope)
      guard position.count == 1, let number = position[0].intValue else {
        throw APIError(.invalidCursor, "The cursor is not one of this list.")
      }
      after = number
    } else {
      after = 0
    }
  }

  /// One more than asked for, to know whether there is a next page.
  var storePage: StorePage { StorePage(after: after, limit: limit + 1) }

  func page<Value, Item: WireValue>(
    of found: [Positioned<Value>], _ show: (Value) -> Item
  ) -> WirePage<Item> {
    let shown = found.prefix(limit)
    let next = found.count > limit ? shown.last : nil
    return WirePage(
      items: shown.map { show($0.value) },
      nextCursor: next.map { PageCursor.encode([.int($0.position)], scope: scope) })
  }
}
