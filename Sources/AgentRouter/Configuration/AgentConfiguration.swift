public import SessionsModel

/// One agent of `router.yaml`.
public struct AgentConfiguration: Sendable, Hashable {
  public var name: String
  /// Another name to open it by, in `config_id`.
  public var configID: String?
  public var instructions: String
  /// What the agent says first on a call; nil says nothing.
  public var greeting: String?
  /// Names of providers or routes; empty means the default.
  public var llm = ""
  public var stt = ""
  public var tts = ""
  /// A model that hears and speaks itself, which answers instead of the three; nil is the usual way.
  public var sts: String?
  /// The voice's name with its provider; empty means the provider's default.
  public var voice = ""
  public var tools: [SessionTool] = []
  public var skills: [SkillConfiguration] = []
  /// What tokens cost, by the name of a model or route; the empty name is for all others.
  public var prices: [String: ModelPrice] = [:]
  /// `auto`, `none`, `required` or a tool's name; nil leaves it to the model.
  public var toolChoice: String?
  public var tags: [String: String] = [:]
  /// Whether its sessions keep a transcript channel.
  public var channel = true
  /// When a turn of the user is over.
  public var turn = TurnConfiguration()

  public init(name: String, instructions: String, greeting: String? = nil) {
    self.name = name
    self.instructions = instructions
    self.greeting = greeting
  }
}
