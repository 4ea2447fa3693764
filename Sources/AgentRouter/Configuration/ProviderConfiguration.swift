/// One provider of `router.yaml`: who does the work behind a name.
public struct ProviderConfiguration: Sendable, Hashable {
  public enum Role: String, Sendable, CaseIterable {
    case stt, llm, tts
    /// Judges whether a person is done; there is one.
    case turn
  }

  public enum Source: Sendable, Hashable {
    /// A supervised child process; a name without a slash is looked up among the built engines.
    case worker(command: String, threads: Int?)
    /// An OpenAI-compatible HTTP interface.
    ///
    /// - `url`: up to and with its version, such as `http://localhost:11434/v1`.
    /// - `keyEnvironment`: the environment variable that holds the key; nil sends none.
    case openAICompatible(url: String, model: String, keyEnvironment: String?)
  }

  public var name: String
  public var role: Role
  public var source: Source

  public init(name: String, role: Role, source: Source) {
    self.name = name
    self.role = role
    self.source = source
  }

  /// The local workers that exist without being configured.
  public static let local: [ProviderConfiguration] = Role.allCases.map { role in
    ProviderConfiguration(
      name: "local", role: role,
      source: .worker(command: "voice-\(role.rawValue)", threads: nil))
  }
}
