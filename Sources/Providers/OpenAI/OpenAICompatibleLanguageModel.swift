public import Networking

/// A model behind any URL that speaks the OpenAI chat completions interface (Ollama, llama.cpp,
/// vLLM, hosted ones).
public struct OpenAICompatibleLanguageModel: LanguageModel {
  /// The time limits of one request.
  public struct Limits: Sendable {
    /// From the request to the response's head.
    public var firstByte = Duration.seconds(10)
    /// Between two events of the stream.
    public var stall = Duration.seconds(10)

    public init() {}
  }

  /// Unread events of one answer.
  static let unreadEvents = 4_096

  private let transport: any Transport
  private let runtime: any Runtime
  private let origin: Origin
  private let model: String
  private let key: String?
  private let limits: Limits

  /// - Parameters:
  ///   - origin: where the interface lives, such as `http://localhost:11434` with base path `/v1`.
  ///   - model: the server's name of the model.
  ///   - key: sent as a bearer token; nil for servers that want none.
  public init(
    transport: any Transport, runtime: any Runtime, origin: Origin, model: String, key: String?,
    limits: Limits = Limits()
  ) {
    self.transport = transport
    self.runtime = runtime
    self.origin = origin
    self.model = model
    self.key = key
    self.limits = limits
  }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    var request = HTTPRequest(
      .post, "/chat/completions",
      body: try ChatCompletionRequest(model: model, prompt: prompt).body()
    )
    request.headers["Content-Type"] = "application/json"
    request.headers["Accept"] = "text/event-stream"
    if let key { request.headers["Authorization"] = "Bearer \(key)" }
    let (transport, origin, limit, sent) = (transport, origin, limits.firstByte, request)
    let response = try await withTimeLimit(
      limit, on: runtime,
      otherwise: "\(name) did not answer within \(limit.wholeMilliseconds) ms."
    ) { () throws(ProviderError) -> HTTPResponseStream in
      do throws(TransportError) {
        return try await transport.stream(sent, to: origin, timeout: limit)
      } catch {
        throw ProviderError(error)
      }
    }
    guard response.status == 200 else { throw await refusal(response) }
    return ChatCompletionReply(
      response: response, runtime: runtime, stallLimit: limits.stall, name: name)
  }

  private var name: String { "The model server at \(origin.host):\(origin.port)" }

  private func refusal(_ response: HTTPResponseStream) async -> ProviderError {
    if response.status == 429 {
      let seconds = response.headers["Retry-After"].flatMap(Double.init)
      return .rateLimited(retryAfter: seconds.map { .seconds($0) })
    }
    var body: [UInt8] = []
    // A body that breaks off still says something; the status alone is enough.
    while body.count < 4_096, let part = try? await response.next() { body += part }
    let said = String(decoding: body.prefix(500), as: UTF8.self)
    switch response.status {
    case 401, 403: return .unavailable("\(name) refused the key (\(response.status)): \(said)")
    case 404: return .unavailable("\(name) does not know \"\(model)\" or the path: \(said)")
    default: return .failed("\(name) answered \(response.status): \(said)")
    }
  }
}

extension ProviderError {
  /// What a failed transfer means for the one who asked.
  init(_ error: TransportError) {
    switch error {
    case .unreachable(let detail): self = .unavailable("The provider is unreachable: \(detail)")
    case .timedOut(let detail): self = .timedOut("The provider did not answer in time: \(detail)")
    case .refused(let response): self = .failed("The provider answered \(response.status).")
    case .broken(let detail): self = .failed("The connection to the provider broke: \(detail)")
    case .cancelled: self = .cancelled
    }
  }
}
