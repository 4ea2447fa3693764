/// Why some bytes are not the JSON that was expected, and where.
public struct JSONParseError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    /// Not JSON: an unexpected byte, an unfinished value, something after the value.
    case syntax
    /// Bytes inside a string that are not UTF-8.
    case invalidUTF8
    /// More arrays and objects inside each other than allowed.
    case tooDeep
    /// A number beyond the range of a double.
    case numberOutOfRange
  }

  public var reason: Reason
  /// Position of the offending byte, counted from 0.
  public var offset: Int
  /// What was wrong, without the position.
  public var detail: String

  public var description: String { "\(detail) at byte \(offset)" }
}
