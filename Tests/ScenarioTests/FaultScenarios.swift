import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Providers that fail in every way: somebody who asked is answered or told, and the next question
/// is answered.
@Suite(.onScenarioThread) struct FaultScenarios {
  enum Role: String, CaseIterable, Sendable {
    case recogniser, model, voice
  }

  /// One cell of the matrix.
  struct Case: Sendable, CustomTestStringConvertible {
    var role: Role
    var fault: ProviderFault
    var testDescription: String { "\(role) \(fault)" }
  }

  /// A recogniser has one result, and what is late is only seen where it was given up: below.
  static let cases = Role.allCases.flatMap { role in
    let everywhere: [ProviderFault] = [
      .stall(.seconds(2)), .stall(.seconds(20)), .rateLimited, .hang, .crash,
    ]
    let ofStreams: [ProviderFault] = [.duplicate, .late(.seconds(1))]
    return (everywhere + (role == .recogniser ? [] : ofStreams)).map {
      Case(role: role, fault: $0)
    }
  }
  /// The line that a failed answer is replaced by, in words.
  private static let fallbackWords = 7

  private func settings(_ role: Role, _ fault: ProviderFault?, requests: Int) -> WorldSettings {
    var settings = WorldSettings()
    var plan = FaultPlan()
    for request in 0..<requests { plan.byRequest[request] = fault }
    switch role {
    case .recogniser: settings.recogniserFaults = plan
    case .model: settings.modelFaults = plan
    case .voice: settings.voiceFaults = plan
    }
    return settings
  }

  /// - Parameter requests: how many requests in a row fail; two defeat the repetition.
  @Test(arguments: cases)
  func aFaultIsToldAndTheNextQuestionAnswered(_ cell: Case) throws {
    let (role, fault) = (cell.role, cell.fault)
    for seed in Scenario.seeds { try check(seed: seed, role, fault, requests: 1) }
    switch fault {
    case .duplicate, .late: break
    default: try check(seed: Scenario.seeds[0], role, fault, requests: 2)
    }
  }

  private func check(
    seed: UInt64, _ role: Role, _ fault: ProviderFault, requests: Int
  ) throws {
    let settings = settings(role, fault, requests: requests)
    let world = try SimulatedWorld(seed: seed, settings)
    let place = "\(world.replay), \(role) \(fault) \(requests) times"
    let voice = try world.joined()
    let first = try settled(world, voice)
    let errors = voice.events(.error)
    let spoken = words(world.ear, after: first.lastVoiced)
    let reply = settings.replies[0].split(separator: " ").count
    #expect(!errors.isEmpty || spoken > 0, "\(place): nothing was said and nothing was shown")
    // Whoever waits for long is told so first, in three words each time.
    let rest = [0, 3, 6, 9, 12, 15].map { spoken - $0 }
    #expect(
      rest.contains { [0, reply, Self.fallbackWords].contains($0) }, "\(place): \(spoken) words")
    #expect(voice.states.last == "idle", "\(place)")

    let answered = world.ear.stretches.count
    let heard = voice.events(.heard).count
    // A fault of two requests may take the second question's first attempt; the third is well.
    if requests == 2, role != .recogniser { _ = try settled(world, voice) }
    let last = try settled(world, voice)
    #expect(world.ear.stretches.count > answered, "\(place): no answer to the last question")
    #expect(voice.events(.heard).count > heard, "\(place)")
    let line = try #require(voice.events(.heard).last?.text, "\(place)")
    let turn = try #require(try world.storedTurns(of: voice.sessionID).last, "\(place)")
    #expect(turn.said == line && turn.answer == settings.answers[line], "\(place): \(turn)")
    #expect(
      words(world.ear, after: last.lastVoiced)
        == settings.answers[line]?.split(separator: " ").count,
      "\(place)")
  }

  /// Asks and waits until the turn is over, whatever became of it.
  private func settled(_ world: SimulatedWorld, _ voice: SimulatedVoice) throws -> Utterance {
    let before = voice.events(.turn).count
    let question = world.ask()
    try world.run(until: "the turn's end") { voice.events(.turn).count > before }
    world.run(for: .seconds(1))
    return question
  }

  /// Words heard behind a frame: 250 ms each.
  private func words(_ ear: SpeakerEar, after frame: Int) -> Int {
    let heard = ear.stretches.filter { $0.first > frame }.map(\.milliseconds).reduce(0, +)
    return Int((heard / 250).rounded())
  }

  /// A person who pauses and goes on: what was found in the first half is given up, and its words
  /// come late.
  @Test(arguments: Scenario.seeds)
  func wordsOfAnUtteranceThatWentOnAreNeverTaken(seed: UInt64) throws {
    var settings = settings(.recogniser, .late(.milliseconds(900)), requests: 1)
    settings.recogniserDelay = .milliseconds(450)
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    world.say(after: .milliseconds(800), for: .milliseconds(900))
    // Longer than what makes the recogniser look, shorter than what ends a turn.
    let rest = world.say(after: .milliseconds(2_050), for: .milliseconds(700))
    try world.run(until: "the turn") { voice.events(.turn).count == 1 }
    world.run(for: .seconds(3))
    let place = "\(world.replay)"
    #expect(world.recogniser.lateResults == 1, "\(place): the fault never happened")
    #expect(voice.events(.heard).map(\.text) == [settings.lines[0]], "\(place)")
    #expect(try world.storedTurns(of: voice.sessionID).count == 1, "\(place)")
    #expect(words(world.ear, after: rest.lastVoiced) == 6, "\(place)")
  }

  /// The control: without a fault nothing is shown and nothing is missing.
  @Test func withoutAFaultNothingIsShown() throws {
    let world = try SimulatedWorld(seed: 1, settings(.model, nil, requests: 1))
    let voice = try world.joined()
    let first = try settled(world, voice)
    #expect(voice.events(.error).isEmpty)
    #expect(words(world.ear, after: first.lastVoiced) == 6)
  }
}
