public import Networking
public import Providers
public import Stores
import Synchronization

/// What the router's parts work with; built once and handed down.
public struct RouterEnvironment: Sendable {
  public let runtime: any Runtime
  public let store: any SessionStore
  /// Nil where the router carries no voice.
  public let media: MediaPlane?
  /// What devices may ask a day.
  public let caps: DailyCaps
  /// What is counted of the turns.
  public let metrics = TurnMetrics()
  /// Sessions whose newest changes are not stored yet.
  let unwritten = UnwrittenSessions()
  /// Gets a line for what nobody else is told of.
  public let onLog: @Sendable (String) -> Void
  private let current: Current

  /// What may change while the router runs; shared by all copies of the environment.
  private final class Current: Sendable {
    let value: Mutex<(configuration: RouterConfiguration, providers: ProviderRegistry)>

    init(_ configuration: RouterConfiguration, _ providers: ProviderRegistry) {
      value = Mutex((configuration, providers))
    }
  }

  public init(
    runtime: any Runtime, store: any SessionStore, configuration: RouterConfiguration,
    providers: ProviderRegistry, media: MediaPlane? = nil,
    onLog: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    caps = DailyCaps(runtime: runtime, store: store, limits: configuration.limits)
    self.onLog = onLog
    self.runtime = runtime
    self.store = store
    self.media = media
    current = Current(configuration, providers)
  }

  /// What `router.yaml` says now: to be read when it is needed.
  public var configuration: RouterConfiguration { current.value.withLock { $0.configuration } }

  public var providers: ProviderRegistry { current.value.withLock { $0.providers } }

  /// Puts another configuration in force, for every copy of this environment.
  ///
  /// A live session keeps its agent; keys, limits, agents of new sessions and providers change at
  /// once.
  public func adopt(_ configuration: RouterConfiguration, providers: ProviderRegistry) {
    current.value.withLock { $0 = (configuration, providers) }
  }
}
