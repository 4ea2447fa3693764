import CLibWebSockets

// Requests for a WebSocket.
extension LoopServer {
  func judgeUpgrade(_ call: SocketCall) -> Int32 {
    noteUnreadInput()
    let number = number(of: call)
    counters.requests += 1
    connections[number]?.requestNumber += 1
    let reader = ServerRequestReader(socket: call.socket)
    let request = reader.read(customHeaders: configuration.customHeaders)
    guard let request, reader.wantsWebSocket, !isStopping else {
      return refuseUpgrade(call, HTTPResponse(status: isStopping ? 503 : 501))
    }
    guard request.headBytes <= Self.maximumHeadBytes else {
      counters.tooLargeHeads += 1
      let message = Self.tooLargeHead(request.headBytes)
      return refuseUpgrade(call, handler.refusal(status: 431, message))
    }
    guard !reader.hasTooManyQueryItems else {
      counters.tooLargeHeads += 1
      return refuseUpgrade(call, handler.refusal(status: 400, Self.tooManyQueryItems))
    }
    switch handler.upgrade(request) {
    case .refuse(let response):
      return refuseUpgrade(call, response)
    case .accept(let serve):
      counters.upgrades += 1
      connections[number]?.state = .upgrading(LoopWebSocket(runtime: runtime), serve)
      return 0
    }
  }

  static func tooLargeHead(_ bytes: Int) -> String {
    "The request's head has at least \(bytes) bytes; at most \(maximumHeadBytes) are accepted."
  }

  static let tooManyQueryItems =
    "The request's query has more than \(ServerRequestReader.maximumQueryItems) items; send fewer."

  private func refuseUpgrade(_ call: SocketCall, _ response: HTTPResponse) -> Int32 {
    var writer = ResponseWriter(response)
    // 1 = answered here; libwebsockets ends the transaction.
    return writer.writeAll(to: call.socket) ? 1 : -1
  }

  func upgraded(_ call: SocketCall) -> Int32 {
    guard case .upgrading(let socket, let serve)? = connections[call.number]?.state else {
      return -1
    }
    connections[call.number]?.state = .webSocket(socket)
    socket.assumeIsolated { [call = unsafeTransfer(call)] in
      $0.opened(call.value.socket, takesPrepared: lws_is_ssl(call.value.socket) == 0)
    }
    Task {
      await serve(socket)
      await socket.close(code: 1000, reason: "")
    }
    return 0
  }
}
