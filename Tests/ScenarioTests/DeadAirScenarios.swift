import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Whatever a provider does, somebody who has asked hears something within the budget.
@Suite(.onScenarioThread) struct DeadAirScenarios {
  private static let faults: [ProviderFault] = [
    .stall(.seconds(2)), .stall(.seconds(8)), .rateLimited, .hang, .silence, .crash,
  ]
  private static let budget = 3_000.0
  /// From the last voiced sample to the decision: the silence, and the detectors' windows.
  private static let decision = 600.0

  private func settings(
    _ role: FaultScenarios.Role, _ fault: ProviderFault, budget: Double, hasSpares: Bool
  ) -> WorldSettings {
    var settings = WorldSettings()
    settings.answerBudgetMilliseconds = Int(budget)
    settings.hasSpares = hasSpares
    // Every request of the first question and of its repetitions.
    let plan = FaultPlan(Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, fault) }))
    switch role {
    case .recogniser: settings.recogniserFaults = plan
    case .model: settings.modelFaults = plan
    case .voice: settings.voiceFaults = plan
    }
    return settings
  }

  /// Silences over the budget between a question's end and the end of what follows it.
  private func silencesOverBudget(_ world: SimulatedWorld, limit: Double) throws -> Int {
    let voice = try world.joined()
    let question = world.ask()
    try world.run(until: "the turn's end") { !voice.events(.turn).isEmpty }
    let sounds = world.ear.stretches.filter { $0.first > question.lastVoiced }
    var over = 0
    var quietFrom = Double(question.lastVoiced) / 48 + Self.decision
    for sound in sounds {
      let began = Double(sound.first) / 48
      if began - quietFrom > limit { over += 1 }
      quietFrom = began + sound.milliseconds
    }
    return sounds.isEmpty ? over + 1 : over
  }

  /// The figure `dead_air_over_budget`.
  @Test(arguments: FaultScenarios.Role.allCases)
  func nobodyWaitsInSilenceForLongerThanTheBudget(role: FaultScenarios.Role) throws {
    var over = 0
    var runs = 0
    for fault in Self.faults where role != .recogniser || fault != .silence {
      for hasSpares in role == .voice ? [true] : [false, true] {
        let world = try SimulatedWorld(
          seed: Scenario.seeds[0],
          settings(role, fault, budget: Self.budget, hasSpares: hasSpares))
        let silences = try silencesOverBudget(world, limit: Self.budget)
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
      seed: 1, settings(.model, .hang, budget: 60_000, hasSpares: false))
    #expect(try silencesOverBudget(world, limit: Self.budget) > 0)
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
    #expect(waited <= Self.decision + Self.budget, "\(place): told after \(waited) ms")
    // The model never hears of what was only said to fill the silence.
    _ = world.ask()
    try world.run(until: "the next turn") { voice.events(.turn).count == 2 }
    let told = world.model.prompts.last?.messages.map(\.content).joined() ?? ""
    #expect(!told.contains("moment"), "\(place)")
  }

  /// The control: words that never come end in an apology and an error.
  @Test func wordsThatNeverComeAreApologizedFor() throws {
    let world = try SimulatedWorld(
      seed: 1, settings(.recogniser, .hang, budget: Self.budget, hasSpares: false))
    let voice = try world.joined()
    _ = world.ask()
    try world.run(until: "the turn's end") { !voice.events(.turn).isEmpty }
    #expect(!voice.events(.error).isEmpty)
    #expect(try world.storedTurns(of: voice.sessionID).isEmpty)
  }
}
