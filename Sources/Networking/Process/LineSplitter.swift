/// Cuts a byte stream into lines of text; longer ones than the bound are cut into pieces.
struct LineSplitter {
  static let maximumLineBytes = 16 << 10

  private var line: [UInt8] = []

  /// Takes the next bytes and returns the lines they complete.
  mutating func feed(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || line.count == Self.maximumLineBytes {
        lines.append(take())
      }
      if byte != UInt8(ascii: "\n") { line.append(byte) }
    }
    return lines
  }

  /// The last line, when it lacks its end.
  mutating func finish() -> String? {
    line.isEmpty ? nil : take()
  }

  private mutating func take() -> String {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    defer { line.removeAll(keepingCapacity: true) }
    return String(decoding: line, as: UTF8.self)
  }
}
