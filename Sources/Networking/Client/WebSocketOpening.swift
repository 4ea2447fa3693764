import CLibWebSockets

/// A WebSocket being opened: the addresses still to try and what the server has said so far.
///
/// Used by ``WebSocketClient`` only. Ends once, whichever of libwebsockets' four ways to fail, the
/// time limit or a cancellation comes first.
final class WebSocketOpening {
  let number: UInt
  let request: WebSocketRequest
  let target: String
  var addresses: [String] = []
  /// The address being tried.
  var address = ""
  var socket: OpaquePointer?
  var response = HTTPResponse(status: 0)
  var failure = ""
  var timer: ScheduledAction?
  private var continuation: CheckedContinuation<Result<LoopWebSocket, TransportError>, Never>?

  init(
    _ number: UInt, _ request: WebSocketRequest, target: String,
    _ continuation: CheckedContinuation<Result<LoopWebSocket, TransportError>, Never>
  ) {
    self.number = number
    self.request = request
    self.target = target
    self.continuation = continuation
  }

  var isFinished: Bool { continuation == nil }

  /// Ends the opening; does nothing the second time.
  func finish(_ result: Result<LoopWebSocket, TransportError>) {
    timer?.cancel()
    continuation?.resume(returning: result)
    continuation = nil
  }

  var peer: String {
    let authority = RequestTarget.authority(
      host: request.host, port: request.port, secure: request.secure)
    return address.isEmpty || address == request.host ? authority : "\(authority) (\(address))"
  }
}
