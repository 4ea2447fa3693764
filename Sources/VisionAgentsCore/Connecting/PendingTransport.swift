import Networking

/// Stands in until the loop's transport is there.
struct PendingTransport: Transport {
  func request(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponse
  { throw .unreachable(detail: "the network is not built in yet") }

  func stream(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponseStream
  { throw .unreachable(detail: "the network is not built in yet") }

  func openWebSocket(_ request: WebSocketRequest, timeout: Duration)
    async throws(TransportError) -> any WebSocketConnection
  { throw .unreachable(detail: "the network is not built in yet") }
}
