/// A tool that an agent may call: its name, what it is for, and its parameters.
public struct SessionTool: Sendable, Hashable {
  /// Who runs the tool.
  public enum Executor: String, Sendable, Codable, CaseIterable {
    case server, client
  }

  public var name: String
  public var description: String
  /// JSON Schema of the arguments.
  public var parameters: JSONValue?
  /// 80 characters at most.
  public var displayTitle: String?
  public var executor: Executor?
  public var approval: ToolApproval?

  public init(
    name: String, description: String, parameters: JSONValue? = nil, displayTitle: String? = nil,
    executor: Executor? = nil, approval: ToolApproval? = nil
  ) {
    self.name = name
    self.description = description
    self.parameters = parameters
    self.displayTitle = displayTitle
    self.executor = executor
    self.approval = approval
  }
}

extension SessionTool: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "a tool")
    name = try reader.requiredString("name", limit: 64)
    guard Identifier.isValidSessionID(name) else {
      throw reader.wrong("name", .string(name), "1 to 64 letters, digits, - and _")
    }
    description = try reader.string("description") ?? ""
    parameters = try reader.object("parameters").map { .object($0) }
    displayTitle = try reader.string("display_title", limit: 80)
    executor = try reader.word("executor", as: Executor.self)
    approval = try reader.wire("approval", as: ToolApproval.self)
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("name", name)
    writer.set("description", description)
    writer.set("parameters", parameters)
    writer.set("display_title", displayTitle)
    writer.set("executor", executor?.rawValue)
    writer.set("approval", approval?.json)
    return writer.json
  }
}

/// The question a person answers before a tool runs.
public struct ToolApproval: Sendable, Hashable {
  public var title: String?
  public var message: String?
  public var allowTitle: String?
  public var declineTitle: String?
  public var reasonArgument: String?

  public init() {}
}

extension ToolApproval: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "approval")
    title = try reader.string("title", limit: 80)
    message = try reader.string("message", limit: 240)
    allowTitle = try reader.string("allow_title", limit: 40)
    declineTitle = try reader.string("decline_title", limit: 40)
    reasonArgument = try reader.string("reason_argument", limit: 64)
    try reader.refuseUnknownFields()
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("title", title)
    writer.set("message", message)
    writer.set("allow_title", allowTitle)
    writer.set("decline_title", declineTitle)
    writer.set("reason_argument", reasonArgument)
    return writer.json
  }
}
