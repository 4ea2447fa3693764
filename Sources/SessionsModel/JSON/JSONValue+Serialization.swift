extension JSONValue {
  /// Compact JSON with the fields of every object in ascending order.
  ///
  /// The same value always gives the same bytes. A number that JSON cannot hold (infinite or not a
  /// number) becomes `null`, as ECMAScript's `JSON.stringify` does.
  public var serialized: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// `serialized` as text.
  public var serializedText: String {
    String(decoding: serialized, as: UTF8.self)
  }
}

extension JSONValue: CustomStringConvertible {
  public var description: String { serializedText }
}

/// Appends JSON to a byte buffer.
private struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .int(let value): append(String(value))
    case .double(let value): append(value.isFinite ? value.description : "null")
    case .string(let value): writeString(value)
    case .array(let values): writeArray(values)
    case .object(let fields): writeObject(fields)
    }
  }

  private mutating func writeArray(_ values: [JSONValue]) {
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func writeObject(_ fields: [String: JSONValue]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      writeString(field.key)
      bytes.append(UInt8(ascii: ":"))
      write(field.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func writeString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    var text = text
    text.withUTF8 { writeEscaped($0) }
  }

  /// Most texts have nothing to escape and go in as they are.
  private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var isPlain = true
    for byte in text
    where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      isPlain = false
      break
    }
    guard !isPlain else { return bytes.append(contentsOf: text) }
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x20:
        append("\\u00")
        bytes.append(Self.hexDigits[Int(byte >> 4)])
        bytes.append(Self.hexDigits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
