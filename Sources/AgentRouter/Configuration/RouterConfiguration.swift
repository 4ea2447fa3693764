/// What `router.yaml` says.
public struct RouterConfiguration: Sendable, Hashable {
  /// One API key with the secret its tokens are signed with.
  public struct App: Sendable, Hashable {
    public var key: String
    public var secret: String

    public init(key: String, secret: String) {
      self.key = key
      self.secret = secret
    }
  }

  /// How callers prove who they are.
  public enum AuthenticationMode: String, Sendable, CaseIterable {
    /// API key and a token signed by its secret.
    case apiKey = "api_key"
    /// Everyone is believed; on loopback only.
    case noauth
  }

  /// The port when `listen` names none.
  public static let defaultPort = 8787

  public var authentication = AuthenticationMode.apiKey
  public var apps: [App] = []
  public var agents: [AgentConfiguration] = []
  /// The agent of a session that names none.
  public var defaultAgent: String
  public var listenAddress = "127.0.0.1"
  /// 0 lets the system choose.
  public var listenPort = defaultPort
  /// Said aloud in the file: an address beyond loopback without TLS is meant.
  public var insecure = false
  /// What the router shows that it is the one; nil speaks plain HTTP.
  public var tls: TLSConfiguration?
  public var providers: [ProviderConfiguration] = []
  /// From a route's name, such as `llm-fast`, to the provider it leads to, and to those that stand
  /// in for it when it fails.
  public var routes: [String: [String]] = [:]
  public var limits = RouterLimits()

  public init(apps: [App], agents: [AgentConfiguration], defaultAgent: String) {
    self.apps = apps
    self.agents = agents
    self.defaultAgent = defaultAgent
  }

  public func app(key: String) -> App? {
    apps.first { $0.key == key }
  }

  public func agent(named name: String) -> AgentConfiguration? {
    agents.first { $0.name == name }
  }

  public func agent(configID: String) -> AgentConfiguration? {
    agents.first { $0.configID == configID }
  }

  /// The configured providers, then the local ones whose names they leave free.
  public var effectiveProviders: [ProviderConfiguration] {
    providers
      + ProviderConfiguration.local.filter { local in
        !providers.contains { $0.name == local.name && $0.role == local.role }
      }
  }

  /// Whether `address` cannot be reached from another box.
  public static func isLoopback(_ address: String) -> Bool {
    address == "localhost" || address == "::1" || address.hasPrefix("127.")
  }
}
