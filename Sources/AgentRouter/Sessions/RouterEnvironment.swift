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

  public init(
    runtime: any Runtime, store: any SessionStore, configuration: RouterConfiguration,
    providers: ProviderRegistry, media: MediaPlane? = nil
  ) {
    self.runtime = runtime
    self.store = store
    self.configuration = configuration
    self.providers = providers
    self.media = media
  }
}
