/// A type of the wire: read from JSON with errors that name the field, written in snake_case.
///
/// `Codable` comes with it, for use inside other `Codable` types.
public protocol WireValue: Codable, Sendable {
  init(json: JSONValue) throws(WireError)
  var json: JSONValue { get }
}

extension WireValue {
  /// Reads a body; an empty one counts as `{}`.
  public init(bytes: [UInt8]) throws(WireError) {
    let json: JSONValue
    do {
      json = bytes.isEmpty ? [:] : try JSONValue.parse(bytes)
    } catch {
      throw WireError(error)
    }
    try self.init(json: json)
  }

  /// The body to send.
  public var bytes: [UInt8] { json.serialized }

  public init(from decoder: any Decoder) throws {
    try self.init(json: try JSONValue(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try json.encode(to: encoder)
  }
}
