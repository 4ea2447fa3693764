/// Any JSON value (RFC 8259), with whole numbers kept apart from fractions.
///
/// A whole number that fits 64 bits is an `int`; every other number is a `double`, so that what a
/// client sent comes back with the same meaning.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  /// The text of a string; nil for anything else.
  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The value of a whole number, also of one written as a fraction (`3.0`); nil for anything else.
  public var intValue: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value of any number; nil for anything else.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  public var arrayValue: [JSONValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  public var objectValue: [String: JSONValue]? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  public var isNull: Bool { self == .null }

  /// The field of an object; nil when it is missing or this is no object.
  ///
  /// Assigning to a field of anything but an object replaces the value by an object.
  public subscript(key: String) -> JSONValue? {
    get { objectValue?[key] }
    set {
      var object = objectValue ?? [:]
      object[key] = newValue
      self = .object(object)
    }
  }

  /// The element of an array; nil when it is out of range or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let values) = self, values.indices.contains(index) else { return nil }
    return values[index]
  }
}
