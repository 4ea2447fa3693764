/// The live transport: WebSockets over libwebsockets, HTTP over libcurl, both on the runtime's
/// loop.
///
/// TLS trusts the system's authorities, or those of the given file. Proxies named by the
/// environment are ignored. A `timeout` limits a whole request; of a streamed response it limits
/// the wait for the head, and then for each piece; of a WebSocket the opening. WebSockets are
/// pinged after 5 s and broken after 12 s of silence.
public final class LoopTransport: Transport {
  private let sockets: WebSocketClient
  private let http: CurlClient
  private let registration: ScheduledAction

  /// - Parameters:
  ///   - authorityPath: PEM file of the certificate authorities to trust instead of the
  ///   system's, such as a router's own certificate.
  ///   - pin: the one certificate to accept, instead of any authority.
  public convenience init(
    runtime: LoopRuntime, authorityPath: String? = nil, pin: CertificateFingerprint? = nil
  ) {
    self.init(runtime, authorityPath: authorityPath, pin: pin.map { CertificatePin($0) })
  }

  private init(_ runtime: LoopRuntime, authorityPath: String?, pin: CertificatePin?) {
    let sockets = WebSocketClient(runtime: runtime, authority: authorityPath, pin: pin)
    let http = CurlClient(runtime: runtime, authority: authorityPath, pin: pin)
    self.sockets = sockets
    self.http = http
    registration = runtime.whenStopping {
      await sockets.stop(grace: .seconds(1))
      await http.stop()
    }
  }

  /// Learns which certificate a server shows, without trusting it.
  ///
  /// - Throws: ``TransportError`` when the server does not answer a request at all.
  public static func certificate(
    of origin: Origin, runtime: LoopRuntime, timeout: Duration
  ) async throws(TransportError) -> CertificateFingerprint? {
    let pin = CertificatePin(nil)
    let transport = LoopTransport(runtime, authorityPath: nil, pin: pin)
    let result: Result<HTTPResponse, TransportError>
    do {
      result = .success(
        try await transport.request(HTTPRequest(.get, "/health"), to: origin, timeout: timeout))
    } catch {
      result = .failure(error)
    }
    await transport.stop()
    _ = try result.get()
    return await withCheckedContinuation { continuation in
      runtime.loopExecutor.perform { continuation.resume(returning: pin.shown) }
    }
  }

  public func request(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponse {
    try await http.request(request, to: origin, timeout: timeout)
  }

  public func stream(
    _ request: HTTPRequest, to origin: Origin, timeout: Duration
  ) async throws(TransportError) -> HTTPResponseStream {
    try await http.stream(request, to: origin, timeout: timeout)
  }

  public func openWebSocket(
    _ request: WebSocketRequest, timeout: Duration
  ) async throws(TransportError) -> any WebSocketConnection {
    try await sockets.open(request, timeout: timeout)
  }

  /// Closes everything: WebSockets with 1001, requests as cancelled.
  public func stop() async {
    await sockets.stop(grace: .seconds(1))
    await http.stop()
    registration.cancel()
  }
}
