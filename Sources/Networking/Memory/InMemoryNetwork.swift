/// The network between an ``InMemoryTransport`` and its handler.
actor InMemoryNetwork {
  nonisolated private let runtime: any Runtime
  private let handler: any HTTPHandler
  private var conditions: LinkConditions
  private var pairs: [MemoryWebSocketPair] = []
  private var exchanges: [UInt64: Exchange] = [:]
  private var lastExchange: UInt64 = 0

  /// A request or an opening under way; ends once.
  private enum Exchange {
    case request(CheckedContinuation<Result<HTTPResponse, TransportError>, Never>)
    case opening(CheckedContinuation<Result<MemoryWebSocket, TransportError>, Never>)
  }

  init(handler: any HTTPHandler, runtime: any Runtime, conditions: LinkConditions) {
    self.handler = handler
    self.runtime = runtime
    self.conditions = conditions
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  func setConditions(_ conditions: LinkConditions) async {
    self.conditions = conditions
    if conditions.state == .down { await breakConnections() }
    for pair in openPairs() { await pair.setConditions(conditions) }
    if conditions.state == .up { wakeStalled() }
  }

  func breakConnections() async {
    for pair in openPairs() { await pair.breakConnection() }
    pairs = []
  }

  func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    guard request.headers.areWritable else {
      throw .broken(detail: "header fields must be lines of visible characters")
    }
    var request = request
    request.path = origin.basePath + request.path
    let sent = request
    let number = nextNumber()
    let timer = limit(number, timeout, origin.host, origin.port)
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchanges[number] = .request(continuation)
        runtime.task { await self.carry(sent, number, origin) }
      }
    } onCancel: {
      runtime.task { await self.fail(number, .cancelled) }
    }
    return try result.get()
  }

  func open(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> MemoryWebSocket {
    let target = RequestTarget.encode(path: request.path, query: request.query)
    try WebSocketClient.check(request, target)
    let number = nextNumber()
    let timer = limit(number, timeout, request.host, request.port)
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchanges[number] = .opening(continuation)
        runtime.task { await self.carry(request, number) }
      }
    } onCancel: {
      runtime.task { await self.fail(number, .cancelled) }
    }
    return try result.get()
  }

  // MARK: Exchanges

  private func carry(_ request: HTTPRequest, _ number: UInt64, _ origin: Origin) async {
    guard await cross(number, origin.host, origin.port) else { return }
    let response: HTTPResponse
    if request.body.count > LoopServer.maximumBodyBytes {
      response = HTTPResponse(status: 413)
    } else {
      response = await handler.respond(to: request)
    }
    guard await cross(number, origin.host, origin.port) else { return }
    guard case .request(let continuation)? = exchanges.removeValue(forKey: number) else { return }
    continuation.resume(returning: .success(response))
  }

  private func carry(_ request: WebSocketRequest, _ number: UInt64) async {
    guard await cross(number, request.host, request.port) else { return }
    let upgrade = HTTPRequest(
      .get, request.path, query: request.query, headers: request.headers)
    let verdict = handler.upgrade(upgrade)
    guard case .accept(let serve) = verdict else {
      guard await cross(number, request.host, request.port) else { return }
      if case .refuse(let response) = verdict { fail(number, .refused(response)) }
      return
    }
    let pair = MemoryWebSocketPair(runtime: runtime, conditions: conditions)
    pairs.append(pair)
    let server = MemoryWebSocket(pair: pair, side: .server)
    runtime.task {
      await serve(server)
      await server.close(code: 1000, reason: "")
    }
    let isThere = await cross(number, request.host, request.port)
    guard isThere, case .opening(let continuation)? = exchanges.removeValue(forKey: number) else {
      await pair.breakConnection()
      return
    }
    continuation.resume(returning: .success(MemoryWebSocket(pair: pair, side: .client)))
  }

  /// One way over the link; false when the exchange has ended meanwhile.
  private func cross(_ number: UInt64, _ host: String, _ port: Int) async -> Bool {
    await runtime.pause(for: conditions.latency)
    while conditions.state == .stalled, exchanges[number] != nil {
      await withCheckedContinuation { stalled.append($0) }
    }
    if conditions.state == .down {
      fail(number, .unreachable(detail: "no connection to \(host):\(port): the network is down"))
    }
    return exchanges[number] != nil
  }

  private var stalled: [CheckedContinuation<Void, Never>] = []

  private func wakeStalled() {
    let waiting = stalled
    stalled = []
    for waiter in waiting { waiter.resume() }
  }

  private func nextNumber() -> UInt64 {
    lastExchange += 1
    return lastExchange
  }

  private func limit(
    _ number: UInt64, _ timeout: Duration, _ host: String, _ port: Int
  ) -> ScheduledAction {
    runtime.after(timeout) { [weak self] in
      self?.assumeIsolated {
        $0.fail(number, .timedOut(detail: "\(host):\(port) did not answer in time"))
      }
    }
  }

  private func fail(_ number: UInt64, _ error: TransportError) {
    switch exchanges.removeValue(forKey: number) {
    case .request(let continuation): continuation.resume(returning: .failure(error))
    case .opening(let continuation): continuation.resume(returning: .failure(error))
    case nil: break
    }
    // Whoever waits for the link on behalf of this exchange can go.
    wakeStalled()
  }

  private func openPairs() -> [MemoryWebSocketPair] {
    pairs.removeAll { $0.isFinished }
    return pairs
  }
}
