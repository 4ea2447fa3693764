import AgentRouter
import Foundation
import Networking
import Providers
import Stores

/// A running router: its loop, its workers, its store and its sockets.
@MainActor
final class RouterServer {
  let url: String
  let configuration: URL
  private let runtime: LoopRuntime
  private let server: LoopServer
  private let directory: SessionDirectory
  private let workers: [WorkerSupervisor]
  private let store: SQLiteStore

  private init(
    url: String, configuration: URL, runtime: LoopRuntime, server: LoopServer,
    directory: SessionDirectory, workers: [WorkerSupervisor], store: SQLiteStore
  ) {
    self.url = url
    self.configuration = configuration
    self.runtime = runtime
    self.server = server
    self.directory = directory
    self.workers = workers
    self.store = store
  }

  /// Starts everything and listens.
  ///
  /// - Throws: ``FileFault`` with the sentence for the person who started it.
  static func start(_ settings: RouterSettings, places: Places) async throws(FileFault)
    -> RouterServer
  {
    do {
      return try await begin(settings, places: places)
    } catch let fault as FileFault {
      throw fault
    } catch {
      throw FileFault("\(error)")
    }
  }

  private static func begin(_ settings: RouterSettings, places: Places) async throws
    -> RouterServer
  {
    let configuration = try effectiveConfiguration(settings)
    let runtime = LoopRuntime()
    let transport = LoopTransport(runtime: runtime)
    let made = try providers(
      of: configuration, settings: settings, places: places, runtime: runtime,
      transport: transport)
    let weights = places.voiceActivityWeights.path
    let hasWeights = FileManager.default.fileExists(atPath: weights)
    if !hasWeights { log("Speech is told by energy: \(weights) is missing (make setup).") }
    try FileManager.default.createDirectory(
      at: places.data, withIntermediateDirectories: true)
    let store = try await SQLiteStore.open(path: places.sessions.path)
    let environment = RouterEnvironment(
      runtime: runtime, store: store, configuration: configuration, providers: made.registry,
      media: try MediaPlane(
        runtime: runtime, vadWeightsPath: hasWeights ? weights : nil, hasThread: true),
      onLog: { log($0) })
    let directory = SessionDirectory(environment: environment) {
      record, agent, turns, environment in
      LiveSession(record: record, agent: agent, history: turns, environment: environment)
    }
    // Before anybody can ask: what an earlier router left running is put in order.
    try await SessionRecovery.run(environment)
    for worker in made.workers { await worker.start() }
    let server = try await LoopServer.start(
      LoopServer.Configuration(
        address: configuration.listenAddress, port: configuration.listenPort),
      handler: Router(environment: environment, directory: directory), runtime: runtime)
    return RouterServer(
      url: "http://\(written(configuration.listenAddress)):\(await server.port)",
      configuration: settings.configurationFile, runtime: runtime, server: server,
      directory: directory, workers: made.workers, store: store)
  }

  /// How often a worker had to be started again.
  var workerRestarts: Int {
    get async {
      var restarts = 0
      for worker in workers { restarts += await worker.counters.restarts }
      return restarts
    }
  }

  /// Ends sessions, workers and sockets in order.
  func stop() async {
    await directory.endAll(reason: "the router stops")
    await server.stop()
    for worker in workers { await worker.stop() }
    await store.close()
    await runtime.stop()
  }

  private static func effectiveConfiguration(_ settings: RouterSettings) throws
    -> RouterConfiguration
  {
    var configuration = try RouterConfiguration.loadOrCreate(at: settings.configurationFile)
    if settings.withDemonstration { DemonstrationAgent.add(to: &configuration) }
    if let listen = settings.listen {
      guard RouterConfiguration.isLoopback(listen.host) || configuration.insecure else {
        throw FileFault(
          "\(listen.host) can be reached from other machines, and there is no TLS. Listen on "
            + "127.0.0.1, or say `insecure: true` in \(settings.configurationFile.path).")
      }
      configuration.listenAddress = listen.host
      configuration.listenPort = listen.port
    }
    if let model = settings.model {
      configuration.providers.append(model)
      for index in configuration.agents.indices { configuration.agents[index].llm = model.name }
    }
    return configuration
  }

  private static func providers(
    of configuration: RouterConfiguration, settings: RouterSettings, places: Places,
    runtime: LoopRuntime, transport: LoopTransport
  ) throws -> (registry: ProviderRegistry, workers: [WorkerSupervisor]) {
    guard !settings.soundPathOnly else {
      var registry = ProviderRegistry()
      registry.add(UnheardSpeechToText(), named: "local")
      registry.add(FixedLineLanguageModel(), named: "local")
      registry.add(FliteTextToSpeech(runtime: runtime), named: "local")
      return (registry, [])
    }
    let assembly = ProviderAssembly(
      runtime: runtime, transport: transport,
      places: ProviderAssembly.Places(
        engines: places.engines.path, models: places.models.path),
      onLog: { log($0) })
    var made = try assembly.assemble(
      configuration.effectiveProviders, environment: ProcessInfo.processInfo.environment)
    for (route, name) in configuration.routes { made.registry.addRoute(route, to: name) }
    return made
  }

  /// A host as it stands in a URL: the colons of a version 6 address in brackets.
  private static func written(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  private nonisolated static func log(_ line: String) {
    Program.complain(line)
  }
}
