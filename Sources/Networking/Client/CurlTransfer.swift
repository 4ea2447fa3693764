import CCurl
import CLibWebSockets
import Glibc

/// One HTTP exchange in libcurl's hands. Used on the loop's thread only.
final class CurlTransfer {
  /// Bytes of a streamed body that wait unread before the transfer is paused.
  static let maximumUnreadBytes = 256 << 10
  /// Bytes of a body that is read as a whole.
  static let maximumBodyBytes = 5 << 20
  private static let maximumHeaderBytes = 64 << 10

  enum Kind {
    /// Hands over the whole response at the end.
    case whole
    /// Hands over the head first, then the body as it arrives.
    case streamed
  }

  let number: UInt
  let easy: OpaquePointer
  let kind: Kind
  /// What is being asked for, for messages.
  let peer: String
  private(set) var status = 0
  private(set) var headers = HTTPHeaders()
  private(set) var body: [UInt8] = []
  private(set) var isPaused = false
  private var headerBytes = 0
  private var pin: CertificatePin?
  private var fields: UnsafeMutablePointer<curl_slist>?
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// Set once the transfer has ended.
  private(set) var end: Result<Void, TransportError>?
  /// Whoever waits for the head, or for the whole response.
  private var headWaiter: HeadWaiter?
  /// Whoever waits for the next piece of a streamed body.
  private var pieceWaiter: PieceWaiter?
  var timer: ScheduledAction?
  private(set) var headIsComplete = false

  init?(number: UInt, kind: Kind, peer: String) {
    guard let easy = curl_easy_init() else { return nil }
    self.number = number
    self.easy = OpaquePointer(easy)
    self.kind = kind
    self.peer = peer
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
    message.deallocate()
  }

  var handle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(easy) }

  /// Tells libcurl what to ask and how.
  func prepare(
    _ request: HTTPRequest, url: String, timeout: Duration, authority: String?,
    pin: CertificatePin? = nil
  ) {
    let milliseconds = max(1, Int(timeout.milliseconds.rounded(.up)))
    ccurl_set_string(handle, CURLOPT_URL, url)
    ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
    // An empty proxy also switches off the one in the environment.
    ccurl_set_string(handle, CURLOPT_PROXY, "")
    ccurl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
    if kind == .whole { ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds) }
    if let authority { ccurl_set_string(handle, CURLOPT_CAINFO, authority) }
    if let pin { prepare(pin) }
    ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    ccurl_set_socket_option_function(handle) { _, socket, _ in
      // Child processes must not hold our connections open.
      fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
    }
    let me = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_pointer(handle, CURLOPT_PRIVATE, me)
    ccurl_set_pointer(handle, CURLOPT_HEADERDATA, me)
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, me)
    ccurl_set_data_function(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
      CurlTransfer.from(transfer).takeHeader(
        UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_data_function(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
      CurlTransfer.from(transfer).takeBody(
        UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    prepareBody(of: request)
    prepareFields(of: request)
  }

  /// Lets the pin judge the server's certificate instead of the system's authorities.
  private func prepare(_ pin: CertificatePin) {
    self.pin = pin
    // Authorities are not asked, and their files need not exist.
    ccurl_set_string(handle, CURLOPT_CAINFO, nil)
    ccurl_set_string(handle, CURLOPT_CAPATH, nil)
    ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
    // The client keeps the pin for longer than any of its connections lives.
    ccurl_set_pointer(handle, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(pin).toOpaque())
    ccurl_set_tls_function(handle) { _, tls, pin in
      SSL_CTX_set_cert_verify_callback(
        OpaquePointer(tls),
        { store, pin in
          Unmanaged<CertificatePin>.fromOpaque(pin!).takeUnretainedValue().accepts(store) ? 1 : 0
        }, pin)
      return CURLE_OK
    }
  }

  static func from(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer {
    Unmanaged<CurlTransfer>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func prepareBody(of request: HTTPRequest) {
    let sendsBody = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
    if sendsBody {
      ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
      _ = request.body.withUnsafeBytes { bytes in
        // An empty array may have no address, which libcurl would take for "no body given".
        if let start = bytes.baseAddress {
          ccurl_set_pointer(
            handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
        } else {
          ccurl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "")
        }
      }
    }
    if request.method != .get || sendsBody {
      ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }

  private func prepareFields(of request: HTTPRequest) {
    // Without these libcurl waits a second before a large body, and calls every body a form.
    fields = curl_slist_append(fields, "Expect:")
    if request.headers["content-type"] == nil {
      fields = curl_slist_append(fields, "Content-Type:")
    }
    for (name, value) in request.headers.fields {
      fields = curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
  }

  // MARK: What libcurl hands over

  /// - Returns: the count of bytes taken; another number breaks the transfer.
  private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
    let line = String(decoding: bytes, as: UTF8.self).trimmingSuffix { $0.isNewline }
    headerBytes += bytes.count
    guard headerBytes <= Self.maximumHeaderBytes else { return 0 }
    if line.hasPrefix("HTTP/") {
      // A new head: what came before was an interim one (RFC 9110, 15.2).
      headers = HTTPHeaders()
      status = Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    } else if line.isEmpty {
      if status >= 200 { completeHead() }
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[String(line[..<colon])] = String(value)
    }
    return bytes.count
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    switch kind {
    case .whole:
      guard body.count + bytes.count <= Self.maximumBodyBytes else { return 0 }
      body.append(contentsOf: bytes)
    case .streamed:
      if let waiter = pieceWaiter {
        pieceWaiter = nil
        waiter.resume(returning: .success(Array(bytes)))
      } else if body.count + bytes.count > Self.maximumUnreadBytes, !body.isEmpty {
        // Handed over again when the reader has caught up.
        isPaused = true
        return Int(CURL_WRITEFUNC_PAUSE)
      } else {
        body.append(contentsOf: bytes)
      }
    }
    return bytes.count
  }

  private func completeHead() {
    guard kind == .streamed, !headIsComplete else { return }
    headIsComplete = true
    timer?.cancel()
    headWaiter?.resume(returning: .success(head))
    headWaiter = nil
  }

  // MARK: What the reader does

  typealias HeadWaiter = CheckedContinuation<Result<HTTPResponse, TransportError>, Never>
  typealias PieceWaiter = CheckedContinuation<Result<[UInt8]?, TransportError>, Never>

  /// Answers with the head of a streamed response, or with a whole one, as soon as it is there.
  func waitForHead(_ waiter: HeadWaiter) {
    if let end, !(headIsComplete && kind == .streamed) {
      waiter.resume(returning: end.map { response })
    } else if headIsComplete {
      waiter.resume(returning: .success(head))
    } else {
      headWaiter = waiter
    }
  }

  /// Answers with the next bytes of a streamed body, as soon as they are there; nil at the end.
  func waitForPiece(_ waiter: PieceWaiter) {
    if !body.isEmpty {
      let piece = body
      body = []
      waiter.resume(returning: .success(piece))
      // May hand over more at once.
      resume()
    } else if let end {
      waiter.resume(returning: end.map { nil })
    } else {
      precondition(pieceWaiter == nil, "a response stream has one reader at a time")
      pieceWaiter = waiter
    }
  }

  /// Lets a paused transfer go on.
  private func resume() {
    guard isPaused else { return }
    isPaused = false
    curl_easy_pause(handle, CURLPAUSE_CONT)
  }

  private var head: HTTPResponse { HTTPResponse(status: status, headers: headers) }

  private var response: HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: body)
  }

  /// Ends the transfer for whoever waits; does nothing the second time.
  func finish(_ result: Result<Void, TransportError>) {
    guard end == nil else { return }
    end = result
    timer?.cancel()
    headWaiter?.resume(returning: result.map { response })
    headWaiter = nil
    pieceWaiter?.resume(returning: result.map { nil })
    pieceWaiter = nil
  }

  /// Translates libcurl's verdict.
  func result(of code: CURLcode) -> Result<Void, TransportError> {
    let reason =
      message[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message)
    if code != CURLE_OK, let complaint = pin?.complaint(about: peer) {
      return .failure(.unreachable(detail: complaint))
    }
    switch code {
    case CURLE_OK:
      return .success(())
    case CURLE_OPERATION_TIMEDOUT:
      return .failure(.timedOut(detail: "\(peer) did not answer in time: \(reason)"))
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
      return .failure(.unreachable(detail: "no connection to \(peer): \(reason)"))
    case CURLE_WRITE_ERROR:
      return .failure(
        .broken(detail: "the response of \(peer) exceeds \(Self.maximumBodyBytes) bytes"))
    default:
      return .failure(.broken(detail: "the exchange with \(peer) broke: \(reason)"))
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ isDropped: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isDropped(last) { rest.removeLast() }
    return rest
  }
}
