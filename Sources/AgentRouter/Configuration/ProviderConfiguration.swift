/// One provider of `router.yaml`: who does the work behind a name.
public struct ProviderConfiguration: Sendable, Hashable {
  public enum Role: String, Sendable, CaseIterable {
    case stt, llm, tts
    /// Judges whether a person is done; there is one.
    case turn
    /// Hears and speaks itself.
    case sts
  }

  public enum Source: Sendable, Hashable {
    /// A supervised child process; a name without a slash is looked up among the built engines.
    case worker(command: String, threads: Int?)
    /// An OpenAI-compatible HTTP interface.
    ///
    /// - `url`: up to and with its version, such as `http://localhost:11434/v1`.
    /// - `keyEnvironment`: the environment variable that holds the key; nil sends none.
    case openAICompatible(url: String, model: String, keyEnvironment: String?)
    /// A server of the Wyoming protocol; `model` is nil for the one it has loaded.
    case wyoming(host: String, port: Int, model: String?)
  }

  public var name: String
  public var role: Role
  public var source: Source
  /// Of a recogniser elsewhere: what people speak, such as `en`; nil lets the server find it out.
  public var language: String?
  /// Of a recogniser at a URL: its words are asked for as events while they are found.
  public var streams = false
  /// Of a voice at a URL: spoken with when an agent names none; nil is the server's usual one.
  public var voice: String?
  /// Of a voice at a URL: the rate of its bare samples, in Hz; nil is 24,000.
  public var rate: Int?

  public init(name: String, role: Role, source: Source) {
    self.name = name
    self.role = role
    self.source = source
  }

  /// The local workers that exist without being configured.
  public static let local: [ProviderConfiguration] = [Role.stt, .llm, .tts, .turn].map { role in
    ProviderConfiguration(
      name: "local", role: role,
      source: .worker(command: "voice-\(role.rawValue)", threads: nil))
  }
}
