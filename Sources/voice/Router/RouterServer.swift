import AgentRouter
import Foundation
import Networking
import Providers
import Stores

/// A running router: its loop, its workers, its store and its sockets.
@MainActor
final class RouterServer {
  let url: String
  /// Of the certificate it shows; nil without TLS.
  let fingerprint: CertificateFingerprint?
  let source: RouterSource
  let runtime: LoopRuntime
  let server: LoopServer
  let environment: RouterEnvironment
  private let directory: SessionDirectory
  var workers: [ProviderConfiguration: WorkerSupervisor]
  private let store: SQLiteStore
  /// The configuration is being read again, and whether it was asked for once more meanwhile.
  var reloading: (isUnderWay: Bool, isAskedAgain: Bool) = (false, false)

  private init(
    url: String, fingerprint: CertificateFingerprint?, source: RouterSource, runtime: LoopRuntime,
    server: LoopServer, environment: RouterEnvironment, directory: SessionDirectory,
    workers: [ProviderConfiguration: WorkerSupervisor], store: SQLiteStore
  ) {
    self.url = url
    self.fingerprint = fingerprint
    self.source = source
    self.runtime = runtime
    self.server = server
    self.environment = environment
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
    DescriptorLimit.raise()
    let runtime = LoopRuntime()
    let source = RouterSource(settings: settings, places: places, runtime: runtime) { log($0) }
    var configuration = try source.configuration()
    try source.prepareCertificate(of: &configuration)
    let fingerprint = configuration.tls?.fingerprint
    let made = try source.providers(of: configuration, keeping: [:])
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
    for worker in made.workers.values { await worker.start() }
    var listening = LoopServer.Configuration(
      address: configuration.listenAddress, port: configuration.listenPort)
    listening.maximumConnections = configuration.limits.connections
    listening.certificate = configuration.tls?.certificate
    let server = try await LoopServer.start(
      listening, handler: Router(environment: environment, directory: directory), runtime: runtime)
    runtime.task { await directory.catchUpOnLookBacks() }
    return RouterServer(
      url: "\(fingerprint == nil ? "http" : "https")://"
        + "\(written(configuration.listenAddress)):\(await server.port)",
      fingerprint: fingerprint, source: source, runtime: runtime, server: server,
      environment: environment, directory: directory, workers: made.workers, store: store)
  }

  /// How often a worker had to be started again.
  var workerRestarts: Int {
    get async {
      var restarts = 0
      for worker in workers.values { restarts += await worker.counters.restarts }
      return restarts
    }
  }

  /// Ends sessions, workers and sockets in order.
  func stop() async {
    await directory.endAll(reason: "the router stops")
    await server.stop()
    for worker in workers.values { await worker.stop() }
    await store.close()
    await runtime.stop()
  }

  /// A host as it stands in a URL: the colons of a version 6 address in brackets.
  private static func written(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  nonisolated static func log(_ line: String) {
    Program.complain(line)
  }
}
