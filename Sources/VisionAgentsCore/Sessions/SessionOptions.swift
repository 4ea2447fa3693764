public import SessionsModel

/// How a session is opened; everything is optional.
public struct SessionOptions: Sendable {
  /// Your own id, up to 64 letters, digits, `-` and `_`; the router makes one otherwise.
  public var id: String?
  public var agent: String?
  public var configID: String?
  /// What a person finds the conversation by later; searched.
  public var title: String?
  /// Searched like the title.
  public var description: String?
  /// Groups conversations, and is recorded as the cost tag `project`.
  public var projectID: String?
  /// Your own labels, handed back untouched.
  public var custom: [String: JSONValue]?
  /// Cost tags, merged with the agent's own.
  public var tags: [String: String] = [:]
  public var modelOverwrites: ModelOverwrites?
  /// Keep nothing of the conversation.
  public var incognito: Bool?
  /// Start voice as the session opens.
  public var startVoice: Bool?
  public var instructions: String?
  /// What the agent says first.
  public var greeting: Greeting?
  /// The voice of the agent's speech, by the provider's name.
  public var voice: String?
  /// What the agent may ask this client to do.
  public var tools: [AgentTool] = []

  public init(agent: String? = nil) {
    self.agent = agent
  }
}

/// What an agent says first, written as a string.
public struct Greeting: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  public init(stringLiteral value: String) {
    text = value
  }
}

extension SessionOptions {
  /// The body of the request; `agent` is the one of the collection asked.
  func request(agent collection: String?) -> CreateSessionRequest {
    var request = CreateSessionRequest()
    request.id = id
    request.agent = configID == nil ? agent ?? collection : agent
    request.configID = configID
    request.title = title
    request.description = description
    request.projectID = projectID
    request.custom = custom
    request.tags = tags.isEmpty ? nil : tags
    request.modelOverwrites = modelOverwrites
    request.incognito = incognito
    request.startVoice = startVoice
    request.instructions = instructions
    request.greeting = greeting?.text
    request.voice = voice
    request.tools = tools.isEmpty ? nil : tools.map(\.declaration)
    return request
  }
}
