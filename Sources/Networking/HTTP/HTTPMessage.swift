/// An HTTP request as a handler sees it and as a client sends it.
public struct HTTPRequest: Sendable {
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case put = "PUT"
    case delete = "DELETE"
    case options = "OPTIONS"
  }

  public var method: Method
  /// Percent-decoded path, without the query.
  public var path: String
  /// Percent-decoded query items, in order.
  public var query: [(name: String, value: String)]
  public var headers: HTTPHeaders
  public var body: [UInt8]
  /// Bytes of path, query and fields as they were received, at least.
  var headBytes: Int {
    query.reduce(path.utf8.count + headers.byteCount) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 2
    }
  }
  /// The peer's address as text; empty for requests made in memory.
  public var remoteAddress = ""

  public init(
    _ method: Method, _ path: String, query: [(name: String, value: String)] = [],
    headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The first query item called `name`.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }
}

/// An HTTP response.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Header fields; names are compared without regard to case (RFC 9110, section 5.1).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  public private(set) var fields: [(name: String, value: String)] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }

  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append((name: name, value: newValue)) }
    }
  }

  /// Compares ASCII letters without their case, without making a text.
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard first.utf8.count == second.utf8.count else { return false }
    if first == second { return true }
    var others = second.utf8.makeIterator()
    for byte in first.utf8 {
      guard let other = others.next(), lowered(byte) == lowered(other) else { return false }
    }
    return true
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }

  /// Adds a field whose name is not among them yet.
  mutating func add(_ name: String, _ value: String) {
    fields.append((name: name, value: value))
  }
}
