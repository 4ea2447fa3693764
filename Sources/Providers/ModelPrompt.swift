/// A request to a language model: the conversation so far and how to answer it.
public struct ModelPrompt: Sendable, Equatable {
  public var messages: [ModelMessage]
  public var tools: [ModelTool]
  public var toolChoice: ModelToolChoice
  /// Longest answer, in tokens; nil leaves it to the provider.
  public var maxOutputTokens: Int?
  /// 0 is a real request; nil leaves it to the provider.
  public var temperature: Double?
  /// `none`, `minimal`, `low`, `medium` or `high`; a model that does not reason ignores it (R30).
  public var thinking: String?
  /// `low`, `medium` or `high`.
  public var verbosity: String?

  public init(
    messages: [ModelMessage], tools: [ModelTool] = [], toolChoice: ModelToolChoice = .automatic,
    maxOutputTokens: Int? = nil, temperature: Double? = nil, thinking: String? = nil,
    verbosity: String? = nil
  ) {
    self.messages = messages
    self.tools = tools
    self.toolChoice = toolChoice
    self.maxOutputTokens = maxOutputTokens
    self.temperature = temperature
    self.thinking = thinking
    self.verbosity = verbosity
  }
}

/// One message of a conversation in the standard form (R1).
public struct ModelMessage: Sendable, Equatable {
  public enum Role: String, Sendable {
    case system
    case user
    case assistant
    case tool
  }

  public var role: Role
  public var content: String
  /// Pictures of a user message: `https:` or `data:` URLs. A model that cannot see leaves them out.
  public var images: [String]
  /// The person's own sound of a user message, mono PCM16 at 16 kHz; only a speech-to-speech model
  /// hears it, every other one takes `content`.
  public var sound: [Int16]
  /// Calls an assistant message made.
  public var toolCalls: [ModelToolCall]
  /// The call a tool message answers.
  public var toolCallID: String?

  /// The same in words alone, to be remembered.
  public var withoutSound: ModelMessage {
    var message = self
    message.sound = []
    return message
  }

  public init(
    _ role: Role, _ content: String, images: [String] = [], sound: [Int16] = [],
    toolCalls: [ModelToolCall] = [], toolCallID: String? = nil
  ) {
    self.sound = sound
    self.images = images
    self.role = role
    self.content = content
    self.toolCalls = toolCalls
    self.toolCallID = toolCallID
  }
}

/// A tool the model may call.
public struct ModelTool: Sendable, Equatable {
  public var name: String
  public var description: String
  /// JSON text of a JSON Schema object.
  public var parameters: String

  public init(name: String, description: String, parameters: String) {
    self.name = name
    self.description = description
    self.parameters = parameters
  }
}

/// Whether the model must call a tool.
public enum ModelToolChoice: Sendable, Equatable {
  case automatic
  case none
  case required
  case tool(name: String)
}
