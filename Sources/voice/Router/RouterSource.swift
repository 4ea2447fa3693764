import AgentRouter
import Foundation
import Networking
import Providers

/// Where a router's configuration comes from: the file, over it the command line; and what is made
/// of it.
@MainActor
struct RouterSource {
  let settings: RouterSettings
  private let assembly: ProviderAssembly
  private let runtime: LoopRuntime

  init(
    settings: RouterSettings, places: Places, runtime: LoopRuntime,
    onLog: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.runtime = runtime
    assembly = ProviderAssembly(
      runtime: runtime, transport: LoopTransport(runtime: runtime),
      places: ProviderAssembly.Places(
        engines: places.engines.path, models: places.models.path),
      onLog: onLog)
  }

  /// Reads the file and changes what the command line says.
  ///
  /// - Throws: ``ConfigurationError`` with the place of a mistake, or ``FileFault``.
  func configuration() throws -> RouterConfiguration {
    var configuration = try RouterConfiguration.loadOrCreate(at: settings.configurationFile)
    if settings.withDemonstration { DemonstrationAgent.add(to: &configuration) }
    if let listen = settings.listen {
      let isProtected = configuration.insecure || configuration.tls != nil
      guard RouterConfiguration.isLoopback(listen.host) || isProtected else {
        throw FileFault(
          "\(listen.host) can be reached from other machines, and there is no TLS. Listen on "
            + "127.0.0.1, add `tls: {self_signed: true}` to \(settings.configurationFile.path), "
            + "or say `insecure: true` there.")
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

  /// Makes the certificate where the file wants a self-signed one, and checks it.
  ///
  /// The configuration is told its fingerprint.
  func prepareCertificate(of configuration: inout RouterConfiguration) throws {
    guard let tls = configuration.tls else { return }
    if tls.isSelfSigned, tls.certificate.isMissing {
      try tls.certificate.make(name: ProcessInfo.processInfo.hostName)
    }
    configuration.tls?.fingerprint = try tls.certificate.check()
  }

  /// Makes the providers of a configuration.
  ///
  /// - Parameter earlier: workers that go on when the configuration says the same of them.
  func providers(
    of configuration: RouterConfiguration,
    keeping earlier: [ProviderConfiguration: WorkerSupervisor]
  ) throws -> ProviderAssembly.Assembled {
    guard !settings.soundPathOnly else {
      var assembled = ProviderAssembly.Assembled()
      assembled.registry.add(UnheardSpeechToText(), named: "local")
      assembled.registry.add(FixedLineLanguageModel(), named: "local")
      assembled.registry.add(FliteTextToSpeech(runtime: runtime), named: "local")
      return assembled
    }
    var made = try assembly.assemble(
      configuration.effectiveProviders, environment: ProcessInfo.processInfo.environment,
      keeping: earlier)
    for (route, names) in configuration.routes { made.registry.addRoute(route, to: names) }
    let flite = "/usr/bin/flite"
    if FileManager.default.isExecutableFile(atPath: flite) {
      made.registry.spareVoice = FliteTextToSpeech(runtime: runtime, program: flite)
    }
    return made
  }
}
