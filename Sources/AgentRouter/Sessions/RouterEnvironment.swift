public import Networking
public import Providers
public import Stores

/// What the router's parts work with; built once and handed down.
public struct RouterEnvironment: Sendable {
  public var runtime: any Runtime
  public var store: any SessionStore
  public var configuration: RouterConfiguration
  public var providers: ProviderRegistry
  /// Nil where the router carries no voice.
  public var media: MediaPlane?
  /// What devices may ask a day.
  public let caps: DailyCaps
  /// Gets a line for what nobody else is told of.
  public var onLog: @Sendable (String) -> Void

  public init(
    runtime: any Runtime, store: any SessionStore, configuration: RouterConfiguration,
    providers: ProviderRegistry, media: MediaPlane? = nil,
    onLog: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    caps = DailyCaps(runtime: runtime, store: store, limits: configuration.limits)
    self.onLog = onLog
    self.runtime = runtime
    self.store = store
    self.configuration = configuration
    self.providers = providers
    self.media = media
  }
}
