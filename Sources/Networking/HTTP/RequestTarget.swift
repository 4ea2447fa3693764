/// Writes a request's path and query as they stand in its first line (RFC 3986).
enum RequestTarget {
  /// Percent-encodes everything but unreserved characters and the path's slashes.
  static func encode(path: String, query: [(name: String, value: String)]) -> String {
    var target = encode(path.hasPrefix("/") ? path : "/" + path, keeping: "/")
    var separator = "?"
    for (name, value) in query {
      target += separator + encode(name) + "=" + encode(value)
      separator = "&"
    }
    return target
  }

  /// Host and port as they stand in a URL and in the `host` field.
  static func authority(host: String, port: Int, secure: Bool) -> String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (secure ? 443 : 80) ? name : "\(name):\(port)"
  }

  private static func encode(_ text: String, keeping kept: String = "") -> String {
    let kept = Array(("-._~" + kept).utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        result.append(byte)
      case _ where kept.contains(byte):
        result.append(byte)
      default:
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension HTTPHeaders {
  /// Whether every field can be written: a name of token characters, a value in one line.
  var areWritable: Bool {
    fields.allSatisfy { name, value in
      let nameIsToken =
        !name.isEmpty && name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }
      return nameIsToken && !value.utf8.contains { $0 < 32 && $0 != 9 || $0 == 127 }
    }
  }

  /// Bytes of all fields as written.
  var byteCount: Int {
    fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }
}
