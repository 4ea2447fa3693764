import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// A router that dies in the middle of a call and is started again over the same store: the device
/// comes back by itself, and the conversation goes on with what was said.
@Suite(.onScenarioThread) struct RestartScenarios {
  enum Moment: String, CaseIterable {
    case betweenTurns, whileThePersonSpeaks, whileTheAgentThinks, whileTheAgentSpeaks
  }

  /// A call with one answered question, at a moment of the second one.
  private func call(
    seed: UInt64, at moment: Moment
  ) throws -> (world: SimulatedWorld, voice: SimulatedVoice) {
    let world = try SimulatedWorld(seed: seed)
    let (voice, _) = try world.converse(questions: 1)
    switch moment {
    case .betweenTurns: break
    case .whileThePersonSpeaks:
      world.ask()
      world.run(for: .milliseconds(1_300))
    case .whileTheAgentThinks:
      world.ask()
      try world.run(until: "the second turn") { voice.events(.responding).count == 2 }
    case .whileTheAgentSpeaks:
      let question = world.ask()
      try world.run(until: "the second reply") {
        world.ear.firstHeard(after: question.lastVoiced) != nil
      }
    }
    return (world, voice)
  }

  @Test(arguments: Scenario.seeds, Moment.allCases)
  func theDeviceComesBackAndTheConversationGoesOn(seed: UInt64, moment: Moment) throws {
    let (world, voice) = try call(seed: seed, at: moment)
    let place = "\(world.replay) \(moment)"
    let states = voice.states.count
    try world.killRouter()
    world.run(for: .seconds(2))
    #expect(voice.states.dropFirst(states).contains("connecting"), "\(place): nobody was told")
    let answered = world.model.prompts.count
    try world.startRouter()
    try world.run(until: "\(place): the return") { voice.states.last == "idle" }
    world.run(for: .seconds(1))
    let told = voice.events(.turn).count
    let question = world.ask()
    try world.run(until: "\(place): an answer after the restart") {
      world.ear.firstHeard(after: question.lastVoiced) != nil
    }
    #expect(!voice.eventsHaveEnded, "\(place)")
    let prompt = try #require(world.model.prompts.dropFirst(answered).last?.messages, "\(place)")
    #expect(
      prompt.map(\.content).contains("What is the capital of France?")
        && prompt.map(\.content).contains("The capital of France is Paris."), "\(place): forgotten")
    try world.run(until: "\(place): the end of the turn") { voice.events(.turn).count > told }
    world.run(for: .milliseconds(100))
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.allSatisfy { $0.status != .running }, "\(place): a turn runs for ever")
    #expect(turns.first?.status == .completed && turns.first?.said == world.firstLine, "\(place)")
    let record = try #require(try world.storedSession(voice.sessionID))
    #expect(record.state == .live && record.isVoiceOn, "\(place)")
  }

  /// The control: a router that stays away answers nobody, and the device says so.
  @Test func withoutARestartNobodyAnswers() throws {
    let (world, voice) = try call(seed: 1, at: .betweenTurns)
    try world.killRouter()
    world.run(for: .seconds(20))
    let question = world.ask()
    world.run(for: .seconds(10))
    #expect(world.ear.firstHeard(after: question.lastVoiced) == nil)
    #expect(voice.states.last == "connecting")
  }
}

extension SimulatedWorld {
  fileprivate var firstLine: String { WorldSettings().lines[0] }
}
