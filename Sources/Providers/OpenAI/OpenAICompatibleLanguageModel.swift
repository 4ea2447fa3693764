public import Networking
import Synchronization

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

  private let server: OpenAIServer
  private let limits: Limits
  private let refused = RefusedParameters()

  /// - Parameters:
  ///   - origin: where the interface lives, such as `http://localhost:11434` with base path `/v1`.
  ///   - model: the server's name of the model.
  ///   - key: sent as a bearer token; nil for servers that want none.
  public init(
    transport: any Transport, runtime: any Runtime, origin: Origin, model: String, key: String?,
    limits: Limits = Limits()
  ) {
    server = OpenAIServer(
      transport: transport, runtime: runtime, origin: origin, model: model, key: key,
      kind: "model server")
    self.limits = limits
  }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    while true {
      let response = try await server.head(request(prompt), within: limits.firstByte)
      if response.status == 200 {
        return ChatCompletionReply(
          response: response, server: server, stallLimit: limits.stall)
      }
      let (error, said) = await server.refusal(response)
      // A model that does not reason ignores `thinking` (R30), whatever its server makes of it.
      guard [400, 422].contains(response.status), refused.learn(from: said) else { throw error }
    }
  }

  private func request(_ prompt: ModelPrompt) throws(ProviderError) -> HTTPRequest {
    var request = HTTPRequest(
      .post, "/chat/completions",
      body: try ChatCompletionRequest(
        model: server.model, prompt: prompt, leavesOut: refused.names
      ).body())
    request.headers["Content-Type"] = "application/json"
    request.headers["Accept"] = "text/event-stream"
    return request
  }
}

/// The fields of a request that a server does not know, learnt from its refusals; each is left out
/// from then on, so that a request is asked again at most once a field.
private final class RefusedParameters: Sendable {
  static let optional = ["reasoning_effort", "verbosity", "stream_options"]

  private let learnt = Mutex<Set<String>>([])

  var names: Set<String> { learnt.withLock { $0 } }

  /// - Returns: whether `said` names a field that was sent until now and can be left out.
  func learn(from said: String) -> Bool {
    learnt.withLock { learnt in
      let new = Self.optional.filter { said.contains($0) && !learnt.contains($0) }
      learnt.formUnion(new)
      return !new.isEmpty
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
