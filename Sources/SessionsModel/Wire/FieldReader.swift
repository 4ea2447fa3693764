public import Foundation

/// Reads the fields of one object and remembers which names are known.
///
/// A field that is `null` counts as left out, because clients with optional fields send both.
public struct FieldReader {
  private let fields: [String: JSONValue]
  private let what: String
  private var known: Set<String> = []

  /// - Parameter what: names the object in messages, such as "the session".
  public init(_ json: JSONValue, _ what: String) throws(WireError) {
    guard case .object(let fields) = json else {
      throw WireError(.invalidField, "Expected an object for \(what), got \(Self.kind(json)).")
    }
    self.fields = fields
    self.what = what
  }

  /// The field as it is, unless it is `null`.
  public mutating func value(_ name: String) -> JSONValue? {
    known.insert(name)
    let value = fields[name]
    return value == .null ? nil : value
  }

  /// - Parameter limit: longest text, in Unicode scalars.
  public mutating func string(_ name: String, limit: Int = .max) throws(WireError) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw wrong(name, value, "a string") }
    // Counting scalars of a long text is only worth it when its bytes could exceed the limit.
    if text.utf8.count > limit, text.unicodeScalars.count > limit {
      throw WireError(
        .invalidField,
        "The field \(name) of \(what) has \(text.unicodeScalars.count) characters; "
          + "at most \(limit) are allowed.")
    }
    return text
  }

  public mutating func requiredString(
    _ name: String, limit: Int = .max
  ) throws(WireError) -> String {
    guard let text = try string(name, limit: limit) else { throw missing(name) }
    return text
  }

  public mutating func bool(_ name: String) throws(WireError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .bool(let flag) = value else { throw wrong(name, value, "true or false") }
    return flag
  }

  public mutating func int(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(WireError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.intValue else { throw wrong(name, value, "a whole number") }
    guard range.contains(number) else {
      throw WireError(
        .invalidField,
        "The field \(name) of \(what) is \(number); "
          + "it must lie between \(range.lowerBound) and \(range.upperBound).")
    }
    return number
  }

  public mutating func double(_ name: String) throws(WireError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.doubleValue else { throw wrong(name, value, "a number") }
    return number
  }

  public mutating func object(_ name: String) throws(WireError) -> [String: JSONValue]? {
    guard let value = value(name) else { return nil }
    guard case .object(let fields) = value else { throw wrong(name, value, "an object") }
    return fields
  }

  public mutating func array(_ name: String) throws(WireError) -> [JSONValue]? {
    guard let value = value(name) else { return nil }
    guard case .array(let values) = value else { throw wrong(name, value, "an array") }
    return values
  }

  public mutating func strings(_ name: String) throws(WireError) -> [String]? {
    guard let values = try array(name) else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw wrong(name, value, "an array of strings") }
      texts.append(text)
    }
    return texts
  }

  public mutating func stringMap(_ name: String) throws(WireError) -> [String: String]? {
    guard let fields = try object(name) else { return nil }
    var map: [String: String] = [:]
    for (key, value) in fields {
      guard case .string(let text) = value else {
        throw wrong("\(name).\(key)", value, "a string")
      }
      map[key] = text
    }
    return map
  }

  public mutating func date(_ name: String) throws(WireError) -> Date? {
    guard let text = try string(name) else { return nil }
    guard let date = RFC3339.date(from: text) else {
      throw wrong(name, .string(text), "an RFC 3339 timestamp")
    }
    return date
  }

  /// The value of an enumeration whose raw values are the wire's words.
  public mutating func word<Word>(
    _ name: String, as type: Word.Type
  ) throws(WireError) -> Word? where Word: RawRepresentable<String> & CaseIterable {
    guard let text = try string(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(name, .string(text), "one of \(words)")
    }
    return word
  }

  public mutating func wire<Value: WireValue>(
    _ name: String, as type: Value.Type
  ) throws(WireError) -> Value? {
    guard let value = value(name) else { return nil }
    return try Value(json: value)
  }

  /// Refuses the first field, in ascending order, that nobody asked for.
  public func refuseUnknownFields() throws(WireError) {
    guard let name = fields.keys.filter({ !known.contains($0) }).min() else { return }
    throw WireError(
      .unknownField,
      "Unknown field \(name) of \(what); known are \(known.sorted().joined(separator: ", ")).")
  }

  public func missing(_ name: String) -> WireError {
    WireError(.invalidField, "The field \(name) of \(what) is required.")
  }

  /// - Parameter expected: what the field must be, such as "a string".
  public func wrong(_ name: String, _ value: JSONValue, _ expected: String) -> WireError {
    let text = value.serializedText
    let shown = text.count > 80 ? "\(text.prefix(80))..." : text
    return WireError(
      .invalidField, "The field \(name) of \(what) must be \(expected), not \(shown).")
  }

  private static func kind(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
