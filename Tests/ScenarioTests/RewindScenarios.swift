import AgentRouter
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Going back while the agent speaks: what is heard stops, and nothing later is known any more.
@Suite(.onScenarioThread) struct RewindScenarios {
  private func call(seed: UInt64) throws -> (world: SimulatedWorld, voice: SimulatedVoice) {
    var settings = WorldSettings()
    settings.configure = { $0.agents[0].channel = false }
    let world = try SimulatedWorld(seed: seed, settings)
    return (world, try world.converse(questions: 1).voice)
  }

  /// R146 at moments from the person's last word to beyond the end of the reply.
  @Test(arguments: [0, 300, 700, 900, 1_200, 1_600, 2_400, 4_000])
  func goingBackWhileSpeakingSilencesAndForgets(milliseconds: Int) throws {
    let (world, voice) = try call(seed: UInt64(milliseconds) + 1)
    let place = "\(world.replay) after \(milliseconds) ms"
    let first = try #require(try world.storedTurns(of: voice.sessionID).first)
    let question = world.ask()
    try world.run(until: "\(place): the question") { world.frame > question.lastVoiced }
    world.run(for: .milliseconds(milliseconds))
    try world.run("going back") { [agents = world.agents, id = voice.sessionID] in
      try await agents.sessions.responses(id).rewind(to: first.id)
    }
    world.run(for: .milliseconds(300))
    let (silence, answered) = (world.frame, world.model.prompts.count)
    world.run(for: .seconds(2))
    if milliseconds >= 900 {
      // Before that the words were still to come: they were said after the going back.
      #expect(world.ear.firstHeard(after: silence) == nil, "\(place): it spoke on")
      #expect(
        try world.storedTurns(of: voice.sessionID).map(\.id) == [first.id], "\(place)")
    }
    let next = world.ask()
    try world.run(until: "\(place): the next answer") {
      world.ear.firstHeard(after: next.lastVoiced) != nil
    }
    let prompt = try #require(world.model.prompts.dropFirst(answered).last?.messages)
    #expect(prompt.contains { $0.content == "What is the capital of France?" }, "\(place)")
    if milliseconds >= 900 {
      #expect(
        !prompt.contains { $0.content.contains("How many days") }, "\(place): it was not forgotten")
    }
  }

  /// The control: without it the reply is heard to its end and remembered.
  @Test func withoutGoingBackTheReplyIsRemembered() throws {
    let (world, voice) = try call(seed: 1_201)
    _ = world.ask()
    try world.run(until: "the second turn") { voice.events(.turn).count == 2 }
    _ = world.ask()
    try world.run(until: "the third turn") { voice.events(.turn).count == 3 }
    #expect(
      world.model.prompts.last?.messages.contains { $0.content.contains("How many days") } == true)
  }
}
