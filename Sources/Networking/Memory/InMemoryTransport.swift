/// A transport that calls a handler directly and pairs WebSockets in memory, for simulations.
///
/// Everything happens on the given runtime in a fixed order, so that a seeded runtime gives the
/// same run each time. The bounds are those of the live transport and server.
public final class InMemoryTransport: Transport {
  private let network: InMemoryNetwork

  public init(
    handler: any HTTPHandler, runtime: any Runtime, conditions: LinkConditions = LinkConditions()
  ) {
    network = InMemoryNetwork(handler: handler, runtime: runtime, conditions: conditions)
  }

  /// Changes how the network behaves from now on.
  public func setConditions(_ conditions: LinkConditions) async {
    await network.setConditions(conditions)
  }

  /// Breaks every open WebSocket at both ends (1006), as a change of network does.
  public func breakConnections() async {
    await network.breakConnections()
  }

  public func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    let response = try await network.request(request, to: origin, timeout: timeout)
    guard response.body.count <= CurlTransfer.maximumBodyBytes else {
      throw .broken(detail: "the response exceeds \(CurlTransfer.maximumBodyBytes) bytes")
    }
    return response
  }

  public func stream(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponseStream {
    let response = try await network.request(request, to: origin, timeout: timeout)
    let body = UnreadBody(response.body)
    return HTTPResponseStream(status: response.status, headers: response.headers) {
      () async throws(TransportError) -> [UInt8]? in
      body.take()
    }
  }

  public func openWebSocket(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> any WebSocketConnection {
    try await network.open(request, timeout: timeout)
  }
}
