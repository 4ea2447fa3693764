/// The rules for identifiers that clients may choose (contract part 2, "Ids" and "Responses").
public enum Identifier {
  /// Longest id of a session.
  public static let sessionLengthLimit = 64
  /// Longest id of a request.
  public static let requestLengthLimit = 128

  /// Whether `id` is 1 to 64 of the ASCII letters and digits, `-` and `_`.
  public static func isValidSessionID(_ id: String) -> Bool {
    isValid(id, limit: sessionLengthLimit)
  }

  /// Whether `id` is 1 to 128 of the ASCII letters and digits, `-` and `_`.
  public static func isValidRequestID(_ id: String) -> Bool {
    isValid(id, limit: requestLengthLimit)
  }

  private static func isValid(_ id: String, limit: Int) -> Bool {
    let bytes = id.utf8
    guard !bytes.isEmpty, bytes.count <= limit else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
