import Networking

/// One OpenAI-compatible server: how it is asked, within which limits, and what its refusals mean.
struct OpenAIServer: Sendable {
  let transport: any Transport
  let runtime: any Runtime
  let origin: Origin
  /// The server's name of what does the work.
  let model: String
  /// Sent as a bearer token; nil for servers that want none.
  let key: String?
  /// What it is to people: `model server`, `transcription server`, `speech server`.
  let kind: String

  var name: String { "The \(kind) at \(origin.host):\(origin.port)" }

  /// Sends a request and waits for the head of its response.
  ///
  /// - Throws: `.timedOut` after `limit`; `.rateLimited`, `.unavailable` or `.failed` when the server
  ///   refuses, with the status and what it said.
  func open(_ request: HTTPRequest, within limit: Duration)
    async throws(ProviderError) -> HTTPResponseStream
  {
    let response = try await head(request, within: limit)
    guard response.status == 200 else { throw await refusal(response).error }
    return response
  }

  /// The head of the response, whatever its status.
  func head(_ request: HTTPRequest, within limit: Duration)
    async throws(ProviderError) -> HTTPResponseStream
  {
    var request = request
    if let key { request.headers["Authorization"] = "Bearer \(key)" }
    let (transport, origin, sent) = (transport, origin, request)
    return try await withTimeLimit(
      limit, on: runtime,
      otherwise: "\(name) did not answer within \(limit.wholeMilliseconds) ms."
    ) { () throws(ProviderError) -> HTTPResponseStream in
      do throws(TransportError) {
        return try await transport.stream(sent, to: origin, timeout: limit)
      } catch {
        throw ProviderError(error)
      }
    }
  }

  /// The next bytes of a response's body; nil at its end.
  ///
  /// - Throws: `.timedOut` when none come within `limit`.
  func next(of response: HTTPResponseStream, within limit: Duration)
    async throws(ProviderError) -> [UInt8]?
  {
    try await withTimeLimit(
      limit, on: runtime,
      otherwise: "\(name) stopped for \(limit.wholeMilliseconds) ms in mid-answer."
    ) { () throws(ProviderError) -> [UInt8]? in
      do throws(TransportError) {
        return try await response.next()
      } catch {
        throw ProviderError(error)
      }
    }
  }

  /// What a status other than 200 means, and what the server said about it.
  func refusal(_ response: HTTPResponseStream) async -> (error: ProviderError, said: String) {
    if response.status == 429 {
      let seconds = response.headers["Retry-After"].flatMap(Double.init)
      return (.rateLimited(retryAfter: seconds.map { .seconds($0) }), "")
    }
    var body: [UInt8] = []
    // A body that breaks off or stalls still says something; the status alone is enough.
    while body.count < 4_096, let part = try? await next(of: response, within: .seconds(1)) {
      body += part
    }
    let said = String(decoding: body.prefix(500), as: UTF8.self)
    switch response.status {
    case 401, 403:
      return (.unavailable("\(name) refused the key (\(response.status)): \(said)"), said)
    case 404:
      return (.unavailable("\(name) does not know \"\(model)\" or the path: \(said)"), said)
    default: return (.failed("\(name) answered \(response.status): \(said)"), said)
    }
  }
}
