/// Work that an agent hands to a model of its own while the conversation waits for it.
public struct SkillConfiguration: Sendable, Hashable {
  public var name: String
  /// What the agent's model is told it is for.
  public var description: String
  /// What the skill's own model is told.
  public var instructions: String
  /// A provider or route; empty means the agent's model.
  public var llm = ""
  /// After which the task is given up, in milliseconds; 1,000 to 3,600,000.
  public var timeoutMilliseconds = 60_000

  public init(name: String, description: String, instructions: String) {
    self.name = name
    self.description = description
    self.instructions = instructions
  }
}
