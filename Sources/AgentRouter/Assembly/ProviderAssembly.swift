public import Networking
public import Providers

/// Makes the providers a configuration names.
public struct ProviderAssembly: Sendable {
  /// Where what is not in the configuration is found.
  public struct Places: Sendable {
    /// Folder of the worker programs.
    public var engines: String
    /// Folder of the model files.
    public var models: String

    public init(engines: String, models: String) {
      self.engines = engines
      self.models = models
    }
  }

  private let runtime: LoopRuntime
  private let transport: any Transport
  private let places: Places
  private let onLog: @Sendable (String) -> Void

  /// - Parameter onLog: gets a line for each thing a worker says or suffers.
  public init(
    runtime: LoopRuntime, transport: any Transport, places: Places,
    onLog: @escaping @Sendable (String) -> Void
  ) {
    self.runtime = runtime
    self.transport = transport
    self.places = places
    self.onLog = onLog
  }

  /// The providers of a configuration, and what runs for them.
  public struct Assembled: Sendable {
    public var registry = ProviderRegistry()
    /// The supervised processes by what the configuration says of them.
    public var workers: [ProviderConfiguration: WorkerSupervisor] = [:]

    public init() {}
  }

  /// Makes all providers; workers start with the first request or with ``WorkerSupervisor/start()``.
  ///
  /// - Parameter earlier: workers that go on when the configuration says the same of them.
  /// - Throws: ``ConfigurationError`` when an entry cannot be used.
  public func assemble(
    _ providers: [ProviderConfiguration], environment: [String: String],
    keeping earlier: [ProviderConfiguration: WorkerSupervisor] = [:]
  ) throws(ConfigurationError) -> Assembled {
    var assembled = Assembled()
    assembled.registry = ProviderRegistry(runtime: runtime)
    for provider in providers {
      switch provider.source {
      case .worker(let command, let threads):
        let supervisor =
          earlier[provider] ?? supervise(provider, command: command, threads: threads)
        assembled.workers[provider] = supervisor
        switch provider.role {
        case .stt:
          assembled.registry.add(WorkerSpeechToText(supervisor: supervisor), named: provider.name)
        case .llm:
          assembled.registry.add(WorkerLanguageModel(supervisor: supervisor), named: provider.name)
        case .tts:
          assembled.registry.add(WorkerTextToSpeech(supervisor: supervisor), named: provider.name)
        case .turn: assembled.registry.endOfTurn = WorkerEndOfTurn(supervisor: supervisor)
        case .sts: break  // Refused when the configuration was read.
        }
      case .openAICompatible(let url, let model, let keyEnvironment):
        let key = keyEnvironment.flatMap { environment[$0] }
        if let keyEnvironment, key == nil {
          onLog("\(provider.name): the environment variable \(keyEnvironment) is not set.")
        }
        add(provider, at: try origin(url, of: provider), model, key, to: &assembled.registry)
      case .wyoming(let host, let port, let model):
        addWyoming(provider, host, port, model, to: &assembled.registry)
      }
    }
    return assembled
  }

  private func add(
    _ provider: ProviderConfiguration, at origin: Origin, _ model: String, _ key: String?,
    to registry: inout ProviderRegistry
  ) {
    switch provider.role {
    case .llm:
      registry.add(
        OpenAICompatibleLanguageModel(
          transport: transport, runtime: runtime, origin: origin, model: model, key: key),
        named: provider.name)
    case .stt:
      registry.add(
        OpenAICompatibleSpeechToText(
          transport: transport, runtime: runtime, origin: origin, model: model, key: key,
          language: provider.language, streams: provider.streams), named: provider.name)
    case .tts:
      registry.add(
        OpenAICompatibleTextToSpeech(
          transport: transport, runtime: runtime, origin: origin, model: model, key: key,
          voice: provider.voice ?? "alloy",
          rate: provider.rate ?? OpenAICompatibleTextToSpeech.usualRate), named: provider.name)
    case .sts:
      registry.addSpeechToSpeech(
        OpenAIRealtimeModel(
          transport: transport, runtime: runtime, origin: origin, model: model, key: key,
          voice: provider.voice), named: provider.name)
    case .turn: break  // Refused when the configuration was read.
    }
  }

  private func addWyoming(
    _ provider: ProviderConfiguration, _ host: String, _ port: Int, _ model: String?,
    to registry: inout ProviderRegistry
  ) {
    let dialer = LoopDialer(runtime: runtime)
    if provider.role == .stt {
      registry.add(
        WyomingSpeechToText(
          dialer: dialer, runtime: runtime, host: host, port: port, model: model,
          language: provider.language), named: provider.name)
    } else {
      registry.add(
        WyomingTextToSpeech(
          dialer: dialer, runtime: runtime, host: host, port: port, voice: provider.voice),
        named: provider.name)
    }
  }

  private func supervise(_ provider: ProviderConfiguration, command: String, threads: Int?)
    -> WorkerSupervisor
  {
    let path = command.contains("/") ? command : "\(places.engines)/\(command)"
    var arguments = ["--models", places.models]
    if let threads { arguments += ["--threads", "\(threads)"] }
    let label = "\(provider.role.rawValue) \(provider.name)"
    let log = onLog
    let launcher = WorkerProcessLauncher(path: path, arguments: arguments, runtime: runtime) {
      log("\(label): \($0)")
    }
    return WorkerSupervisor(name: label, launcher: launcher, runtime: runtime) {
      log("\(label): \($0)")
    }
  }

  private func origin(_ url: String, of provider: ProviderConfiguration)
    throws(ConfigurationError) -> Origin
  {
    guard let origin = Origin(text: url) else {
      throw ConfigurationError(
        file: "router.yaml", line: 0, column: 0, key: "providers.\(provider.name).url",
        message: "\"\(url)\" is no URL of the form http://HOST:PORT/v1")
    }
    return origin
  }
}
