import CLibWebSockets
import Glibc

// Requests and their answers, one at a time on a connection.
extension LoopServer {
  func requestArrived(_ call: SocketCall) -> Int32 {
    noteUnreadInput()
    let number = number(of: call)
    let reader = ServerRequestReader(socket: call.socket)
    counters.requests += 1
    connections[number]?.requestNumber += 1
    connections[number]?.isHead = reader.isHead
    guard let request = reader.read(customHeaders: configuration.customHeaders) else {
      return refuse(number, status: 501, "This server does not know the request's method.")
    }
    guard request.headBytes <= Self.maximumHeadBytes else {
      counters.tooLargeHeads += 1
      return refuse(number, status: 431, Self.tooLargeHead(request.headBytes))
    }
    guard !reader.hasTooManyQueryItems else {
      counters.tooLargeHeads += 1
      return refuse(number, status: 400, Self.tooManyQueryItems)
    }
    guard let length = reader.contentLength, !reader.hasTransferEncoding else {
      return refuse(number, status: 411, "A request body needs a content-length that is a number.")
    }
    guard length <= Self.maximumBodyBytes else {
      counters.tooLargeBodies += 1
      return refuse(
        number, status: 413,
        "The body has \(length) bytes; at most \(Self.maximumBodyBytes) are accepted.")
    }
    guard length > 0 else {
      answer(number, request)
      return 0
    }
    if reader.expectsContinue, !writeContinue(to: call.socket) { return -1 }
    connections[number]?.state = .readingBody(request)
    return 0
  }

  func bodyArrived(_ call: SocketCall) -> Int32 {
    if call.length == 0 { return 0 }
    switch connections[call.number]?.state {
    case .readingBody(var request):
      // The array must have one owner while it grows.
      connections[call.number]?.state = .idle
      request.body.append(contentsOf: call.bytes)
      guard request.body.count <= Self.maximumBodyBytes else { return -1 }
      connections[call.number]?.state = .readingBody(request)
      return 0
    case .discarding:
      return 0
    default:
      // Bytes where no body was announced.
      return -1
    }
  }

  func bodyEnded(_ call: SocketCall) -> Int32 {
    switch connections[call.number]?.state {
    case .readingBody(let request):
      answer(call.number, request)
      return 0
    case .discarding:
      return -1
    default:
      return 0
    }
  }

  func writeContinue(to socket: OpaquePointer) -> Bool {
    var bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    bytes = bytes.withUnsafeBufferPointer { withHeadroom($0) }
    let count = bytes.count - OutgoingFrames.headroom
    return bytes.withUnsafeMutableBufferPointer {
      lws_write(socket, $0.baseAddress! + OutgoingFrames.headroom, count, LWS_WRITE_HTTP_HEADERS)
    } >= 0
  }

  /// Asks the handler; the transaction stays open until it answers.
  func answer(_ number: UInt, _ request: HTTPRequest) {
    guard let connection = connections[number] else { return }
    connections[number]?.state = .answering
    lastRead = number
    lws_set_timeout(connection.socket, NO_PENDING_TIMEOUT, 0)
    let requestNumber = connection.requestNumber
    Task {
      noteUnreadInput()
      let response = await handler.respond(to: request)
      answered(number, requestNumber, response)
    }
    // Behind the task, so that most answers are there by then.
    runtime.loopExecutor.enqueue {
      self.assumeIsolated { $0.holdInput(of: number, during: requestNumber) }
    }
  }

  /// Lets a connection end after its answer whose peer sent more at once.
  ///
  /// libwebsockets 4.1.6 keeps such bytes to itself and never comes to an end with a request that has
  /// a body among them (lws_http_action). RFC 9112, 9.3.2, lets a server close then, and the peer
  /// asks again. The bytes show only when its call has returned; so the connection is the one that
  /// was read last.
  func noteUnreadInput() {
    guard lastRead != 0 else { return }
    let number = lastRead
    lastRead = 0
    guard libraryHasUnreadInput, connections[number] != nil else { return }
    counters.pipelinedRequests += 1
    connections[number]?.closesAfterResponse = true
    // Which also takes it out of the sight of the next such question.
    setInput(of: number, isHeld: true)
  }

  /// Whether libwebsockets has bytes of any connection that is read from.
  private var libraryHasUnreadInput: Bool {
    guard let context = context?.context else { return false }
    return lws_service_adjust_timeout(context, 1, 0) == 0
  }

  /// Keeps libwebsockets from reading on while the handler thinks: it would wake for what the peer
  /// sends again and again.
  private func holdInput(of number: UInt, during requestNumber: UInt64) {
    guard let connection = connections[number], connection.requestNumber == requestNumber,
      case .answering = connection.state
    else { return }
    setInput(of: number, isHeld: true)
  }

  private func setInput(of number: UInt, isHeld: Bool) {
    guard let connection = connections[number], connection.isInputHeld != isHeld else { return }
    connections[number]?.isInputHeld = isHeld
    lws_rx_flow_control(connection.socket, isHeld ? 0 : 1)
  }

  private func answered(_ number: UInt, _ requestNumber: UInt64, _ response: HTTPResponse) {
    guard let connection = connections[number], connection.requestNumber == requestNumber,
      case .answering = connection.state
    else {
      counters.droppedResponses += 1
      return
    }
    // Neither does libwebsockets write while it does not read.
    setInput(of: number, isHeld: false)
    let closes = isStopping || connection.closesAfterResponse
    connections[number]?.closesAfterResponse = closes
    var writer = ResponseWriter(response, omitsBody: connection.isHead, closes: closes)
    // Written at once: waiting to be told that the socket can be written to costs two rounds of the
    // loop. What the network does not take libwebsockets keeps.
    guard writer.isOnePiece, !closes else {
      connections[number]?.state = .writing(writer)
      lws_callback_on_writable(connection.socket)
      return
    }
    guard writer.write(to: connection.socket) else { return closeSoon(number) }
    connections[number]?.state = .writing(writer)
    guard endTransaction(number) else { return closeSoon(number) }
    guard case .idle = connections[number]?.state else { return }
    // libwebsockets waits to be told that it can write before it reads the next request.
    let writable = Int16(POLLOUT)
    var ready = pollfd(
      fd: lws_get_socket_fd(connection.socket), events: writable, revents: writable)
    lws_service_fd(lws_get_context(connection.socket), &ready)
    noteProgressOfStopping()
  }

  /// Lets the connection's next request come, once everything of the answer has left.
  ///
  /// - Returns: false when the connection has to end instead.
  private func endTransaction(_ number: UInt) -> Bool {
    guard let connection = connections[number] else { return true }
    // Not left to libwebsockets, which would read on meanwhile and keep what it read.
    guard lws_partial_buffered(connection.socket) == 0 else {
      lws_callback_on_writable(connection.socket)
      return true
    }
    connections[number]?.state = .idle
    if connection.closesAfterResponse { return false }
    if libraryHasUnreadInput {
      counters.pipelinedRequests += 1
      return false
    }
    return lws_http_transaction_completed(connection.socket) == 0
  }

  private func closeSoon(_ number: UInt) {
    connections[number]?.state = .closing
    lws_callback_on_writable(connections[number]?.socket)
  }

  /// Answers before the body is read. The body is thrown away, because closing with unread bytes
  /// would reset the connection and the peer might never see the answer.
  func refuse(_ number: UInt, status: Int, _ message: String) -> Int32 {
    let response = handler.refusal(status: status, message)
    connections[number]?.closesAfterResponse = true
    connections[number]?.state = .discarding(ResponseWriter(response, closes: true))
    lws_callback_on_writable(connections[number]?.socket)
    return 0
  }

  func write(_ call: SocketCall) -> Int32 {
    switch connections[call.number]?.state {
    case .writing(var writer):
      connections[call.number]?.state = .idle
      if !writer.isFinished, !writer.write(to: call.socket) { return -1 }
      connections[call.number]?.state = .writing(writer)
      guard writer.isFinished else {
        lws_set_timeout(call.socket, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeDeadlineSeconds)
        lws_callback_on_writable(call.socket)
        return 0
      }
      let goesOn = endTransaction(call.number)
      noteProgressOfStopping()
      return goesOn ? 0 : -1
    case .closing:
      return -1
    case .discarding(var writer):
      if !writer.isFinished, !writer.writeAll(to: call.socket) { return -1 }
      connections[call.number]?.state = .discarding(writer)
      lws_set_timeout(call.socket, PENDING_TIMEOUT_HTTP_CONTENT, Self.writeDeadlineSeconds)
      return 0
    default:
      return 0
    }
  }

  private static let writeDeadlineSeconds: Int32 = 10
}
