import AgentRouter
import Foundation
import Networking
import Observation
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore
import VoiceEngine

/// One after the other: the SDK's classes live on the main actor, and so does the stepping of a world,
/// which many of them at once would only take from each other.
@Suite(.serialized, .timeLimit(.minutes(10))) struct Rules {}

/// A router with the SDK in front of it: a device of `jlahey`, one of `anna`, and the app's backend.
///
/// Simulated, everything runs in virtual time over a network and a store in memory; over loopback it
/// is a real server, real sockets and SQLite.
@MainActor
final class RuleWorld {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case simulated, loopback
    var testDescription: String { rawValue }
  }

  nonisolated struct Settings {
    var answers: [String: String] = [:]
    var forms: [ModelForm.Name: String] = RuleWorld.forms
    var configure: (inout RouterConfiguration) -> Void = { _ in }
  }

  nonisolated static let forms: [ModelForm.Name: String] = [
    .nameConversation: #"{"title":"Where Order 1042 Is","description":"The user asks."}"#,
    .rememberUser: #"{"fact1":"The user waits for order 1042."}"#,
    .reviewConversation: #"{"score":4,"notes":"It was answered at once."}"#,
  ]

  nonisolated static let secret = "rules-secret"

  let runtime: any Runtime
  let model: ScriptedLanguageModel
  let thinking: ScriptedLanguageModel
  let native: ScriptedLanguageModel
  let environment: RouterEnvironment
  let directory: SessionDirectory
  let logged = Shared<[String]>([])
  let agents: VisionAgents
  let annas: VisionAgents
  let backend: VisionAgents
  let transport: any Transport
  let origin: Origin
  let url: URL
  let sdkEnvironment: VisionAgents.Environment
  private let simulated: SimulatedRuntime?
  private let folder: URL?
  private let server: LoopServer?
  private let live: LoopRuntime?

  var agent: Agent { agents.agent("myagent") }
  var store: any SessionStore { environment.store }

  private init(
    _ kind: Kind, _ settings: Settings, routes: [String: String], port: Int
  ) async throws {
    let (simulated, live) =
      kind == .simulated ? (SimulatedRuntime(seed: 1), nil) : (nil, LoopRuntime())
    let runtime: any Runtime = simulated ?? live!
    (self.simulated, self.live, self.runtime) = (simulated, live, runtime)
    let quick = kind == .loopback ? Duration.zero : .milliseconds(60)
    func scripted(_ forms: [ModelForm.Name: String] = [:]) -> ScriptedLanguageModel {
      ScriptedLanguageModel(
        runtime: runtime, answers: settings.answers, firstToken: quick,
        perToken: kind == .loopback ? .zero : .milliseconds(8), forms: forms)
    }
    model = scripted(settings.forms)
    thinking = scripted()
    native = scripted()
    var configuration = RouterConfiguration(
      apps: [RouterConfiguration.App(key: "your_api_key", secret: Self.secret)],
      agents: [
        AgentConfiguration(name: "myagent", instructions: "Be brief."),
        AgentConfiguration(name: "plain", instructions: "Be plain."),
      ], defaultAgent: "myagent")
    configuration.agents[0].tags = ["plan": "free", "team": "shop"]
    configuration.agents[0].prices = ["": ModelPrice(input: 2, cachedInput: 1, output: 10)]
    configuration.agents[1].channel = false
    settings.configure(&configuration)
    var providers = ProviderRegistry()
    providers.add(model, named: "scripted")
    providers.add(thinking, named: "llm-thinking")
    providers.addSpeechToSpeech(native, named: "scripted-sts")
    for (route, name) in routes { providers.addRoute(route, to: name) }
    let store: any SessionStore
    if simulated != nil {
      folder = nil
      store = MemoryStore(executor: runtime.executor)
    } else {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      store = try await SQLiteStore.open(path: folder.appending(path: "sessions.db").path)
    }
    let logged = logged
    environment = RouterEnvironment(
      runtime: runtime, store: store, configuration: configuration, providers: providers,
      onLog: { line in logged.update { $0.append(line) } })
    directory = SessionDirectory(environment: environment) { record, agent, turns, environment in
      LiveSession(record: record, agent: agent, history: turns, environment: environment)
    }
    let router = Router(environment: environment, directory: directory)
    if let live {
      let server = try await LoopServer.start(
        LoopServer.Configuration(port: port), handler: router, runtime: live)
      self.server = server
      transport = LoopTransport(runtime: live)
      origin = Origin(host: "127.0.0.1", port: await server.port)
    } else {
      server = nil
      transport = InMemoryTransport(handler: router, runtime: runtime)
      origin = Origin(host: "127.0.0.1", port: 8787)
    }
    let url = URL(string: "http://127.0.0.1:\(origin.port)")!
    self.url = url
    let sdk = VisionAgents.Environment(
      runtime: runtime, transport: transport,
      openDevice: { throw AudioError(code: .noDevice, message: "There is no device here.") },
      closeDevice: { _ in }, appExecutor: simulated)
    sdkEnvironment = sdk
    agents = VisionAgents(apiKey: "your_api_key", url: url, environment: sdk)
    agents.setUser(User(id: "jlahey"), token: Self.token("jlahey"))
    annas = VisionAgents(apiKey: "your_api_key", url: url, environment: sdk)
    annas.setUser(User(id: "anna"), token: Self.token("anna"))
    backend = VisionAgents(
      apiKey: "your_api_key", apiSecret: Self.secret, url: url, environment: sdk)
  }

  nonisolated static func token(_ user: String?) -> String {
    Token.mint(TokenClaims(userID: user, server: user == nil), secret: secret)
  }

  /// The two kinds of a world would only take the main actor from each other.
  private static let turn = Turn()

  /// Lets one world at a time have the main actor.
  @MainActor private final class Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
      guard isTaken else {
        isTaken = true
        return
      }
      await withCheckedContinuation { waiting.append($0) }
    }

    func pass() {
      guard !waiting.isEmpty else {
        isTaken = false
        return
      }
      waiting.removeFirst().resume()
    }
  }

  /// Runs `body` in a world; simulated, it steps the virtual clock while the body waits.
  static func with(
    _ kind: Kind = .simulated, _ settings: Settings = Settings(), routes: [String: String] = [:],
    port: Int = 0, _ body: @escaping @MainActor (RuleWorld) async throws -> Void
  ) async throws {
    await turn.wait()
    defer { turn.pass() }
    let world = try await RuleWorld(kind, settings, routes: routes, port: port)
    guard let simulated = world.simulated else {
      do {
        try await body(world)
      } catch {
        await world.close()
        throw error
      }
      await world.close()
      return
    }
    try await simulated.stepping { try await body(world) }
  }

  /// A further router over the store of another, as after a restart.
  static func second(_ world: RuleWorld) async throws -> RestartedRouter {
    RestartedRouter(world)
  }

  private func close() async {
    await agents.disconnect()
    await annas.disconnect()
    await backend.disconnect()
    await directory.endAll(reason: "test")
    await server?.stop()
    await store.close()
    await live?.stop()
    if let folder {
      // A folder of the system's temporary ones; left behind it harms nobody.
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Lets virtual time pass at once.
  func pass(_ duration: Duration) async throws {
    let simulated = try #require(simulated, "time can be let pass in a simulation only")
    simulated.run(for: duration)
    // The mirrors follow on the main actor.
    for _ in 1...20 { await Task.yield() }
  }

  /// Asks something in a session and waits for the turn's end.
  @discardableResult
  func ask(_ session: AgentSession, _ text: String) async throws -> [AgentEvent] {
    await session.start()
    let events = session.events()
    let response = try await session.responses.create(text)
    var seen: [AgentEvent] = []
    for await event in events {
      seen.append(event)
      if event.kind == .turn, event.turnID == response.id { break }
    }
    return seen
  }

  /// Waits until something shows in the SDK's classes, woken by their changes.
  func shown(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () -> Bool
  ) async {
    let isOver = Shared(false)
    while true {
      let (changes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let isShown = withObservationTracking(holds) { signal.finish() }
      if isShown { return }
      if isOver.value {
        Issue.record("\(what) never showed", sourceLocation: sourceLocation)
        return
      }
      let limit = runtime.after(Self.patience) {
        isOver.value = true
        signal.finish()
      }
      for await _ in changes {}
      limit.cancel()
    }
  }

  private static let patience = Duration.seconds(30)

  /// Asks again and again until something holds: for what the router does by itself.
  func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    for _ in 1...20_000 {
      if try await holds() { return }
      try await runtime.sleep(for: .milliseconds(5))
    }
    Issue.record("\(what) never happened")
  }

  /// Sends a raw request as a device's user, or as the backend when `user` is nil.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: SessionsModel.JSONValue? = nil,
    as user: String? = "jlahey", query: [(name: String, value: String)] = [],
    headers: [String: String] = [:]
  ) async throws -> RuleAnswer {
    var request = HTTPRequest(method, path, query: query, body: body?.serialized ?? [])
    request.headers["X-Api-Key"] = "your_api_key"
    request.headers["Authorization"] = "Bearer " + Self.token(user)
    if user == nil { request.headers["Stream-Auth-Type"] = "server" }
    for (name, value) in headers { request.headers[name] = value }
    return RuleAnswer(
      response: try await transport.request(request, to: origin, timeout: .seconds(20)))
  }
}

/// A router that knows only what the store knows.
@MainActor
struct RestartedRouter {
  let directory: SessionDirectory
  private let router: Router

  init(_ world: RuleWorld) {
    let environment = RouterEnvironment(
      runtime: world.runtime, store: world.store,
      configuration: world.environment.configuration, providers: world.environment.providers)
    directory = SessionDirectory(environment: environment) { record, agent, turns, environment in
      LiveSession(record: record, agent: agent, history: turns, environment: environment)
    }
    router = Router(environment: environment, directory: directory)
  }

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: SessionsModel.JSONValue
  ) async throws -> RuleAnswer {
    var request = HTTPRequest(method, path, body: body.serialized)
    request.headers["X-Api-Key"] = "your_api_key"
    request.headers["Authorization"] = "Bearer " + RuleWorld.token("jlahey")
    return RuleAnswer(response: await router.respond(to: request))
  }
}

struct RuleAnswer {
  let response: HTTPResponse
  var status: Int { response.status }
  var json: SessionsModel.JSONValue {
    // An empty or unreadable body shows up as null in the expectations.
    (try? SessionsModel.JSONValue.parse(response.body)) ?? .null
  }
  var code: String? { json["error"]?["code"]?.stringValue }
  var message: String { json["error"]?["message"]?.stringValue ?? "" }
}

/// The HTTP failure of an operation that has to fail.
@MainActor
func failure(_ operation: @MainActor () async throws -> Void) async -> HTTPFailure? {
  do {
    try await operation()
  } catch AgentsError.http(let failure) {
    return failure
  } catch {
    Issue.record("failed as \(error)")
  }
  return nil
}

extension [AgentEvent] {
  func first(_ kind: AgentEvent.Kind) -> AgentEvent? { first { $0.kind == kind } }
  func all(_ kind: AgentEvent.Kind) -> [AgentEvent] { filter { $0.kind == kind } }
  /// The text of all deltas.
  var words: String { all(.responseDelta).map(\.text).joined() }
}
