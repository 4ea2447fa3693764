public import SessionsModel

/// Something the agent may ask this client to do.
public struct AgentTool: Sendable {
  public let name: String
  public let description: String
  /// JSON Schema of the arguments; nil for none.
  public let parameters: JSONValue?
  let run: @Sendable ([String: JSONValue]) async throws -> String

  /// - Parameter run: gets the arguments and returns the answer for the model. What it throws is
  ///   told to the model in words. It is answered for after ``ToolCalls/timeLimit``.
  public init(
    _ name: String, description: String, parameters: JSONValue? = nil,
    run: @Sendable @escaping ([String: JSONValue]) async throws -> String
  ) {
    self.name = name
    self.description = description
    self.parameters = parameters
    self.run = run
  }

  var declaration: SessionTool {
    SessionTool(
      name: name, description: description, parameters: parameters, executor: .client)
  }
}

/// One request of the agent to run a tool.
public struct ToolCall: Sendable, Hashable, Identifiable {
  public let id: String
  public let name: String
  /// Empty when the agent sent none, or none that can be read.
  public let arguments: [String: JSONValue]

  init?(_ fields: [String: JSONValue]) {
    guard let id = fields["id"]?.stringValue, let name = fields["name"]?.stringValue else {
      return nil
    }
    self.id = id
    self.name = name
    switch fields["arguments"] {
    case .string(let text)?:
      // Arguments a model garbled count as none; the tool says what it misses.
      arguments = (try? JSONValue.parse(text))?.objectValue ?? [:]
    case .object(let object)?: arguments = object
    default: arguments = [:]
    }
  }
}
