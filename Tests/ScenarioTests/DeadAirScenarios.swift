import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Whatever a provider does, somebody who has asked hears something within the budget.
@Suite(.onScenarioThread) struct DeadAirScenarios {
  private static let budget = 3_000.0

  /// The figure `dead_air_over_budget`.
  @Test(arguments: DeadAir.Role.allCases)
  func nobodyWaitsInSilenceForLongerThanTheBudget(role: DeadAir.Role) throws {
    var over = 0
    var runs = 0
    for fault in DeadAir.faults where DeadAir.canHappen(fault, to: role) {
      for hasSpares in role == .voice ? [true] : [false, true] {
        let world = try SimulatedWorld(
          seed: Scenario.seeds[0],
          DeadAir.settings(role, fault, budget: Self.budget, hasSpares: hasSpares))
        let silences = try DeadAir.silences(over: Self.budget, in: world)
        #expect(silences == 0, "\(world.replay), \(role) \(fault), spares \(hasSpares)")
        over += silences
        runs += 1
      }
    }
    print("dead_air_over_budget, \(role): \(over) of \(runs) faults")
  }

  /// The control: with a budget of a minute a model that hangs is a silence of more than 3 s.
  @Test func withoutABudgetThereIsSilence() throws {
    let world = try SimulatedWorld(
      seed: 1, DeadAir.settings(.model, .hang, budget: 60_000, hasSpares: false))
    #expect(try DeadAir.silences(over: Self.budget, in: world) > 0)
  }

  /// A small machine with a big recogniser: the person is told to wait, and then answered.
  @Test(arguments: [3, 5, 8])
  func wordsThatComeLateAreAnsweredAllTheSame(seconds: Int) throws {
    var settings = WorldSettings()
    settings.recogniserDelay = .seconds(seconds)
    let world = try SimulatedWorld(seed: Scenario.seeds[0], settings)
    let voice = try world.joined()
    let question = world.ask()
    try world.run(until: "the turn's end") { !voice.events(.turn).isEmpty }
    world.run(for: .milliseconds(300))
    let place = "\(world.replay), \(seconds) s"
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.said) == [settings.lines[0]], "\(place)")
    #expect(turns.map(\.answer) == [settings.replies[0]], "\(place)")
    #expect(voice.events(.error).isEmpty && voice.events(.responding).count == 1, "\(place)")
    let first = try #require(world.ear.firstHeard(after: question.lastVoiced), "\(place)")
    let waited = Double(first - question.lastVoiced) / 48
    #expect(waited <= DeadAir.decision + Self.budget, "\(place): told after \(waited) ms")
    // The model never hears of what was only said to fill the silence.
    _ = world.ask()
    try world.run(until: "the next turn") { voice.events(.turn).count == 2 }
    let told = world.model.prompts.last?.messages.map(\.content).joined() ?? ""
    #expect(!told.contains("moment"), "\(place)")
  }

  /// The control: words that never come end in an apology and an error.
  @Test func wordsThatNeverComeAreApologizedFor() throws {
    let world = try SimulatedWorld(
      seed: 1, DeadAir.settings(.recogniser, .hang, budget: Self.budget, hasSpares: false))
    let voice = try world.joined()
    _ = world.ask()
    try world.run(until: "the turn's end") { !voice.events(.turn).isEmpty }
    #expect(!voice.events(.error).isEmpty)
    #expect(try world.storedTurns(of: voice.sessionID).isEmpty)
  }
}
