import AgentRouter
import Testing

@testable import voice

/// A `router.yaml` of an earlier version, or somebody's own, does not stop `voice run`.
struct DemonstrationAgentTests {
  @Test func aFileWithoutItGetsIt() {
    var configuration = RouterConfiguration(
      apps: [], agents: [AgentConfiguration(name: "assistant", instructions: "Help.")],
      defaultAgent: "assistant")
    DemonstrationAgent.add(to: &configuration)
    #expect(configuration.agent(named: DemonstrationAgent.name)?.toolChoice == "get_order")
    #expect(configuration.agents.count == 2)
    #expect(configuration.defaultAgent == "assistant")
  }

  @Test func anAgentOfThatNameInTheFileWins() {
    let own = AgentConfiguration(name: DemonstrationAgent.name, instructions: "Mine.")
    var configuration = RouterConfiguration(
      apps: [], agents: [own], defaultAgent: DemonstrationAgent.name)
    DemonstrationAgent.add(to: &configuration)
    #expect(configuration.agents == [own])
  }
}
