import SessionsModel

/// Where the next page of a list starts: opaque to clients, and good only for the list it is of.
enum PageCursor {
  /// - Parameters:
  ///   - position: the place of the last item that was given.
  ///   - scope: names the list, with its filter.
  static func encode(_ position: [JSONValue], scope: String) -> String {
    let json: JSONValue = [.string(checksum(scope)), .array(position)]
    return Base64URL.encode(json.serialized)
  }

  /// - Throws: `invalid_cursor` for anything that ``encode(_:scope:)`` did not make for this scope.
  static func decode(_ cursor: String, scope: String) throws(APIError) -> [JSONValue] {
    // A cursor that cannot be parsed and one of another list are the same mistake.
    guard cursor.utf8.count <= 1024, let bytes = Base64URL.decode(cursor),
      let json = try? JSONValue.parse(bytes, depthLimit: 2),
      json[0]?.stringValue == checksum(scope), let position = json[1]?.arrayValue
    else {
      throw APIError(
        .invalidCursor,
        "The cursor is not one of this list; use next_cursor with the same filter and sort.")
    }
    return position
  }

  /// FNV-1a, 64 bits: tells lists apart; it is no protection.
  private static func checksum(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
