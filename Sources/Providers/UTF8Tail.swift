/// Finds where a stream of UTF-8 was cut inside a character.
enum UTF8Tail {
  /// Bytes at the end that begin a character whose rest has not come (RFC 3629, section 3).
  static func unfinishedBytes(of bytes: [UInt8]) -> Int {
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0b1100_0000 == 0b1000_0000 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > back ? back : 0
    }
    return 0
  }
}
