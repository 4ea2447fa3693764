extension JSONValue {
  /// Arrays and objects inside each other that ``parse(_:depthLimit:)`` accepts by default.
  public static let depthLimit = 64

  /// Reads one JSON value (RFC 8259) that fills all of `bytes`.
  ///
  /// Of two fields with one name the later wins. An unpaired surrogate is refused, because no
  /// Unicode text could carry it onwards.
  public static func parse(
    _ bytes: [UInt8], depthLimit: Int = depthLimit
  ) throws(JSONParseError) -> JSONValue {
    var parser = JSONParser(bytes: bytes, depthLimit: depthLimit)
    return try parser.parseDocument()
  }

  public static func parse(
    _ text: String, depthLimit: Int = depthLimit
  ) throws(JSONParseError) -> JSONValue {
    try parse(Array(text.utf8), depthLimit: depthLimit)
  }
}

/// A recursive descent over bytes; the recursion is bounded by `depthLimit`.
private struct JSONParser {
  let bytes: [UInt8]
  let depthLimit: Int
  private var index = 0

  init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  mutating func parseDocument() throws(JSONParseError) -> JSONValue {
    skipSpace()
    let value = try parseValue(depth: 0)
    skipSpace()
    if index < bytes.count { throw unexpected("something after the end of the value") }
    return value
  }

  private mutating func parseValue(depth: Int) throws(JSONParseError) -> JSONValue {
    guard let byte = peek else { throw unexpected("a value was expected") }
    switch byte {
    case UInt8(ascii: "{"): return try parseObject(depth: depth + 1)
    case UInt8(ascii: "["): return try parseArray(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw unexpected("a value was expected")
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONParseError) -> JSONValue {
    try enter(depth)
    var fields: [String: JSONValue] = [:]
    if take("}") { return .object(fields) }
    repeat {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a field name was expected") }
      let name = try parseString()
      skipSpace()
      guard take(":") else { throw unexpected("a colon was expected") }
      skipSpace()
      fields[name] = try parseValue(depth: depth)
      skipSpace()
    } while take(",")
    guard take("}") else { throw unexpected("a comma or a closing brace was expected") }
    return .object(fields)
  }

  private mutating func parseArray(depth: Int) throws(JSONParseError) -> JSONValue {
    try enter(depth)
    var values: [JSONValue] = []
    if take("]") { return .array(values) }
    repeat {
      skipSpace()
      values.append(try parseValue(depth: depth))
      skipSpace()
    } while take(",")
    guard take("]") else { throw unexpected("a comma or a closing bracket was expected") }
    return .array(values)
  }

  /// Steps over an opening brace or bracket.
  private mutating func enter(_ depth: Int) throws(JSONParseError) {
    if depth > depthLimit {
      throw JSONParseError(
        reason: .tooDeep, offset: index,
        detail: "more than \(depthLimit) arrays and objects inside each other")
    }
    index += 1
    skipSpace()
  }

  private mutating func parseWord(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONParseError) -> JSONValue {
    let end = index + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[index..<end].elementsEqual(word.description.utf8) else {
      throw unexpected("\(word) was expected")
    }
    index = end
    return value
  }

  private mutating func parseNumber() throws(JSONParseError) -> JSONValue {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    if peek == UInt8(ascii: "0") {
      index += 1
    } else {
      try skipDigits()
    }
    var isWhole = true
    if peek == UInt8(ascii: ".") {
      isWhole = false
      index += 1
      try skipDigits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      isWhole = false
      index += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    // "-0" is left to the double, which keeps its sign.
    if isWhole, text != "-0", let value = Int(text) { return .int(value) }
    guard let value = Double(text), value.isFinite else {
      throw JSONParseError(
        reason: .numberOutOfRange, offset: start, detail: "a number out of range")
    }
    return .double(value)
  }

  private mutating func skipDigits() throws(JSONParseError) {
    let start = index
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    if index == start { throw unexpected("a digit was expected") }
  }

  private mutating func parseString() throws(JSONParseError) -> String {
    index += 1
    var text = ""
    while true {
      let start = index
      while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
      }
      guard let run = String(validating: bytes[start..<index], as: UTF8.self) else {
        throw JSONParseError(
          reason: .invalidUTF8, offset: start, detail: "a string that is not UTF-8")
      }
      text += run
      switch peek {
      case UInt8(ascii: "\""):
        index += 1
        return text
      case UInt8(ascii: "\\"):
        text.unicodeScalars.append(try parseEscape())
      case .some:
        throw unexpected("a control character inside a string")
      case nil:
        throw unexpected("a closing quote was expected")
      }
    }
  }

  private mutating func parseEscape() throws(JSONParseError) -> Unicode.Scalar {
    index += 1
    guard let kind = peek else { throw unexpected("an escape was expected") }
    index += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try parseUnicodeEscape()
    default:
      index -= 1
      throw unexpected("an unknown escape")
    }
  }

  private mutating func parseUnicodeEscape() throws(JSONParseError) -> Unicode.Scalar {
    let start = index - 2
    let first = try parseFourHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A scalar above the basic plane is written as two escapes, high surrogate first.
    if (0xD800..<0xDC00).contains(first), take("\\"), take("u") {
      let second = try parseFourHexDigits()
      let joined = 0x10000 + (first - 0xD800) << 10 + second &- 0xDC00
      if (0xDC00..<0xE000).contains(second), let scalar = Unicode.Scalar(joined) { return scalar }
    }
    throw JSONParseError(reason: .syntax, offset: start, detail: "an unpaired surrogate")
  }

  private mutating func parseFourHexDigits() throws(JSONParseError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("four hexadecimal digits were expected")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  private func unexpected(_ detail: String) -> JSONParseError {
    let end = index >= bytes.count ? ", but the text ended" : ""
    return JSONParseError(reason: .syntax, offset: index, detail: detail + end)
  }
}
