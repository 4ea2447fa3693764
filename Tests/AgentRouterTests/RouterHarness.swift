import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// A router in virtual time, over a store in memory and scripted sessions.
final class RouterHarness {
  let runtime: SimulatedRuntime
  let directory: SessionDirectory
  let router: Router
  let environment: RouterEnvironment

  static let secret = "first-secret"
  static let otherSecret = "second-secret"

  /// - Parameter answers: with them real sessions over a scripted model stand behind the router;
  ///   without, scripted ones that only store.
  init(
    seed: UInt64 = 1, answers: [String: String]? = nil,
    configure: (inout RouterConfiguration) -> Void = { _ in }
  ) {
    runtime = SimulatedRuntime(seed: seed)
    var configuration = RouterConfiguration(
      apps: [
        RouterConfiguration.App(key: "first", secret: Self.secret),
        RouterConfiguration.App(key: "second", secret: Self.otherSecret),
      ],
      agents: [
        AgentConfiguration(name: "assistant", instructions: "Be brief."),
        AgentConfiguration(name: "plain", instructions: ""),
      ], defaultAgent: "assistant")
    configuration.agents[0].tags = ["plan": "free", "team": "a"]
    configuration.agents[1].channel = false
    configure(&configuration)
    var providers = ProviderRegistry()
    if let answers {
      providers.add(ScriptedLanguageModel(runtime: runtime, answers: answers), named: "scripted")
    }
    environment = RouterEnvironment(
      runtime: runtime, store: MemoryStore(executor: runtime), configuration: configuration,
      providers: providers)
    directory = SessionDirectory(environment: environment) { record, agent, history, environment in
      guard answers != nil else {
        return ScriptedHolder(record: record, history: history, environment: environment)
      }
      return LiveSession(record: record, agent: agent, history: history, environment: environment)
    }
    router = Router(environment: environment, directory: directory)
  }

  /// Runs an operation on the runtime until it has an answer.
  func run<Answer: Sendable>(_ operation: @escaping @Sendable () async -> Answer) throws -> Answer {
    let answer = Shared<Answer?>(nil)
    runtime.task {
      let value = await operation()
      answer.value = value
    }
    runtime.run(until: { answer.value != nil }, limit: .seconds(1))
    return try #require(answer.value, "the router did not answer")
  }

  func token(user: String?, role: String? = nil, app secret: String = secret) -> String {
    let claims = TokenClaims(userID: user, server: user == nil, role: role)
    return Token.mint(claims, secret: secret)
  }

  /// Sends a request as a user's device, or as the backend when `user` is nil.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, as user: String? = nil,
    query: [(name: String, value: String)] = []
  ) throws -> Answer {
    var request = HTTPRequest(method, "/v1/agents/sessions" + path, query: query)
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = "Bearer " + token(user: user)
    if user == nil { request.headers["Stream-Auth-Type"] = "server" }
    request.body = body?.serialized ?? []
    return try send(request)
  }

  func send(_ request: HTTPRequest) throws -> Answer {
    let router = router
    return Answer(response: try run { await router.respond(to: request) })
  }

  /// Opens an events socket; nil query values are left out.
  func open(
    _ id: String, as user: String? = "anna", query: [(name: String, value: String)] = []
  ) throws -> ScriptedSocket {
    let request = HTTPRequest(
      .get, "/v1/agents/sessions/\(id)/events",
      query: [("api_key", "first"), ("token", token(user: user))] + query)
    guard case .accept(let serve) = try upgrade(request) else {
      throw Refused()
    }
    let socket = ScriptedSocket()
    runtime.task {
      await serve(socket)
      socket.served()
    }
    runtime.run(for: .milliseconds(1))
    return socket
  }

  struct Refused: Error {}

  func upgrade(_ request: HTTPRequest) throws -> WebSocketUpgrade {
    let router = router
    return try run { router.upgrade(request) }
  }
}

/// A response with its body read.
struct Answer {
  let response: HTTPResponse

  var status: Int { response.status }

  var json: JSONValue {
    // An empty or unreadable body shows up as null in the expectations.
    (try? JSONValue.parse(response.body)) ?? .null
  }

  var code: String? { json["error"]?["code"]?.stringValue }

  var ids: [String] { (json["items"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue } }
}
