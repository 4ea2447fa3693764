import AgentRouter

/// The agent that answers `voice run`'s last question through a tool.
///
/// It is not written into `router.yaml`: a file written by an earlier version has none, and one that
/// is somebody's own is never touched.
enum DemonstrationAgent {
  static let name = "order-desk"

  /// Adds it beside the file's agents; an agent of that name in the file wins.
  static func add(to configuration: inout RouterConfiguration) {
    guard configuration.agent(named: name) == nil else { return }
    var agent = AgentConfiguration(
      name: name,
      instructions: "You are a friendly voice assistant at an order desk. Tell the caller in one "
        + "short sentence what the tool said about the order.")
    // The device runs it; `voice run` registers it.
    agent.toolChoice = "get_order"
    configuration.agents.append(agent)
  }
}
