import CLibWebSockets

/// Reads a request's head from a socket of libwebsockets, while it is readable there: inside the
/// calls that announce a request or an upgrade.
struct ServerRequestReader {
  /// Header fields libwebsockets knows by number.
  private static let knownHeaders: [(name: String, token: lws_token_indexes)] = [
    ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION),
    ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE),
    ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH),
    ("host", WSI_TOKEN_HOST),
    ("origin", WSI_TOKEN_ORIGIN),
    ("user-agent", WSI_TOKEN_HTTP_USER_AGENT),
    ("accept", WSI_TOKEN_HTTP_ACCEPT),
    ("accept-language", WSI_TOKEN_HTTP_ACCEPT_LANGUAGE),
    ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH),
    ("referer", WSI_TOKEN_HTTP_REFERER),
    ("retry-after", WSI_TOKEN_HTTP_RETRY_AFTER),
    ("access-control-request-headers", WSI_TOKEN_HTTP_AC_REQUEST_HEADERS),
  ]

  private static let methods: [(method: HTTPRequest.Method, token: lws_token_indexes)] = [
    (.get, WSI_TOKEN_GET_URI), (.post, WSI_TOKEN_POST_URI), (.patch, WSI_TOKEN_PATCH_URI),
    (.put, WSI_TOKEN_PUT_URI), (.delete, WSI_TOKEN_DELETE_URI),
    (.options, WSI_TOKEN_OPTIONS_URI),
    // A HEAD is answered as its GET without the body (RFC 9110, 9.3.2).
    (.get, WSI_TOKEN_HEAD_URI),
  ]

  private let socket: OpaquePointer

  init(socket: OpaquePointer) {
    self.socket = socket
  }

  /// The request without its body; nil for a method nobody here answers.
  func read(customHeaders: [String]) -> HTTPRequest? {
    for (method, token) in Self.methods where has(token) {
      var path = value(of: token) ?? "/"
      // libwebsockets ends the first line at an encoded carriage return, before the protocol's
      // version: what is left of the path names something else than was meant.
      if !has(WSI_TOKEN_HTTP) { path += "\r" }
      var request = HTTPRequest(method, path, query: query())
      for (name, token) in Self.knownHeaders {
        if let value = value(of: token) { request.headers.add(name, value) }
      }
      for name in customHeaders {
        if let value = customValue(of: name), request.headers[name] == nil {
          request.headers.add(name, value)
        }
      }
      request.remoteAddress = peerAddress()
      return request
    }
    return nil
  }

  var isHead: Bool { has(WSI_TOKEN_HEAD_URI) }

  /// The body's declared length; nil when it is not a number.
  var contentLength: Int? {
    guard let text = value(of: WSI_TOKEN_HTTP_CONTENT_LENGTH) else { return 0 }
    guard let length = Int(text), length >= 0 else { return nil }
    return length
  }

  var hasTransferEncoding: Bool { has(WSI_TOKEN_HTTP_TRANSFER_ENCODING) }

  var expectsContinue: Bool {
    value(of: WSI_TOKEN_HTTP_EXPECT)?.lowercased() == "100-continue"
  }

  var wantsWebSocket: Bool {
    value(of: WSI_TOKEN_UPGRADE)?.lowercased() == "websocket"
  }

  private func has(_ token: lws_token_indexes) -> Bool {
    lws_hdr_total_length(socket, token) > 0
  }

  private func value(of token: lws_token_indexes) -> String? {
    let length = Int(lws_hdr_total_length(socket, token))
    guard length > 0 else { return nil }
    return text(capacity: length + 1) { lws_hdr_copy(socket, $0, $1, token) }
  }

  /// - Parameter name: in lower case.
  private func customValue(of name: String) -> String? {
    let count = name.utf8.count
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { key in
      var name = name
      name.withUTF8 { _ = memcpy(key.baseAddress!, $0.baseAddress!, count) }
      // libwebsockets keeps unknown names with their colon.
      key[count] = CChar(bitPattern: UInt8(ascii: ":"))
      let length = Int(lws_hdr_custom_length(socket, key.baseAddress, Int32(count) + 1))
      guard length > 0 else { return nil }
      return text(capacity: length + 1) {
        lws_hdr_custom_copy(socket, $0, $1, key.baseAddress, Int32(count) + 1)
      }
    }
  }

  /// libwebsockets has split and decoded the query: each fragment is `name=value`.
  private func query() -> [(name: String, value: String)] {
    var items: [(name: String, value: String)] = []
    let total = Int(lws_hdr_total_length(socket, WSI_TOKEN_HTTP_URI_ARGS))
    guard total > 0 else { return items }
    for index in 0..<Self.maximumQueryItems {
      let fragment = text(capacity: total + 1) {
        lws_hdr_copy_fragment(socket, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, index)
      }
      guard let fragment else { break }
      // Not by characters: "=" and a combining mark after it are one of them.
      let scalars = fragment.unicodeScalars
      let equals = scalars.firstIndex(of: "=") ?? scalars.endIndex
      let name = String(scalars[..<equals])
      if name.isEmpty { continue }
      items.append((name, String(scalars[equals...].dropFirst())))
    }
    return items
  }

  /// Whether there are more items in the query than are read; what is beyond them must not be
  /// ignored in silence.
  var hasTooManyQueryItems: Bool {
    lws_hdr_fragment_length(socket, WSI_TOKEN_HTTP_URI_ARGS, Self.maximumQueryItems) > 0
  }

  static let maximumQueryItems: Int32 = 64

  private func peerAddress() -> String {
    let address = text(capacity: 64) { buffer, capacity in
      lws_get_peer_simple(socket, buffer, Int(capacity)) == nil ? -1 : Int32(strlen(buffer))
    }
    guard let address else { return "" }
    // libwebsockets listens with IPv6 sockets, which see IPv4 peers as mapped ones.
    return address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address
  }

  private func text(
    capacity: Int, _ copy: (UnsafeMutablePointer<CChar>, Int32) -> Int32
  ) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      let count = copy(buffer.baseAddress!, Int32(capacity))
      guard count >= 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<Int(count)], as: UTF8.self)
    }
  }
}
