public import Foundation

/// Builds an object and leaves out what is nil.
public struct FieldWriter {
  private var fields: [String: JSONValue] = [:]

  public init() {}

  public mutating func set(_ name: String, _ value: JSONValue?) {
    if let value { fields[name] = value }
  }

  public mutating func set(_ name: String, _ value: String?) {
    if let value { fields[name] = .string(value) }
  }

  public mutating func set(_ name: String, _ value: Int?) {
    if let value { fields[name] = .int(value) }
  }

  public mutating func set(_ name: String, _ value: Double?) {
    if let value { fields[name] = .double(value) }
  }

  public mutating func set(_ name: String, _ value: Bool?) {
    if let value { fields[name] = .bool(value) }
  }

  public mutating func set(_ name: String, _ value: Date?) {
    if let value { fields[name] = .string(RFC3339.string(from: value)) }
  }

  public mutating func set(_ name: String, _ value: [String: String]?) {
    if let value { fields[name] = .object(value.mapValues { .string($0) }) }
  }

  public mutating func set(_ name: String, _ value: [String]?) {
    if let value { fields[name] = .array(value.map { .string($0) }) }
  }

  public var json: JSONValue { .object(fields) }
}
