import CLibWebSockets

/// A response on its way out: head and body in one piece, so that no write waits for the peer's
/// acknowledgement of the one before.
struct ResponseWriter {
  /// libwebsockets sends at most this much at once (`tx_packet_size`) and keeps a copy of the rest.
  private static let pieceBytes = 16 << 10

  private var bytes: [UInt8]
  private var next = clws_headroom()

  /// - Parameters:
  ///   - omitsBody: for the answer to a HEAD, whose `content-length` is still the body's.
  ///   - closes: says that the connection ends after this response.
  init(_ response: HTTPResponse, omitsBody: Bool = false, closes: Bool = false) {
    var head = "HTTP/1.1 \(response.status) \(Self.reason(of: response.status))\r\n"
    for (name, value) in response.headers.fields
    where !Self.ownHeaders.contains(where: { HTTPHeaders.isSame($0, name) }) {
      head += "\(Self.clean(name)): \(Self.clean(value))\r\n"
    }
    // RFC 9110, 8.6: no length with a 204 or 1xx.
    let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
    if hasBody { head += "content-length: \(response.body.count)\r\n" }
    if closes { head += "connection: close\r\n" }
    head += "\r\n"
    bytes = [UInt8](repeating: 0, count: next)
    bytes.reserveCapacity(next + head.utf8.count + response.body.count)
    bytes.append(contentsOf: head.utf8)
    if hasBody, !omitsBody { bytes.append(contentsOf: response.body) }
  }

  var isFinished: Bool { next == bytes.count }

  /// Whether one write sends all of it.
  var isOnePiece: Bool { bytes.count - next <= Self.pieceBytes }

  /// Writes the next piece; false when the connection is broken.
  mutating func write(to socket: OpaquePointer) -> Bool {
    write(to: socket, atMost: Self.pieceBytes)
  }

  /// Writes everything at once; libwebsockets keeps what the network does not take.
  mutating func writeAll(to socket: OpaquePointer) -> Bool {
    write(to: socket, atMost: bytes.count)
  }

  private mutating func write(to socket: OpaquePointer, atMost limit: Int) -> Bool {
    let start = next
    let count = min(limit, bytes.count - start)
    let isLast = start + count == bytes.count
    let written = bytes.withUnsafeMutableBufferPointer {
      lws_write(
        socket, $0.baseAddress! + start, count,
        isLast ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP)
    }
    next += count
    return written >= 0
  }

  /// Fields this writer sets itself.
  private static let ownHeaders = [
    "content-length", "connection", "transfer-encoding",
  ]

  /// No field may smuggle in another one.
  private static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" && $0 != "\0" }))
  }

  private static func reason(of status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
  }
}
