import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Speech that is cut: what is kept is what was heard.
@Suite(.onScenarioThread) struct InterruptionScenarios {
  private static let speech = (1...24).map { "word\($0)" }.joined(separator: " ") + "."

  private func world(_ seed: UInt64) throws -> SimulatedWorld {
    var settings = WorldSettings()
    settings.answers[settings.lines[0]] = Self.speech
    return try SimulatedWorld(seed: seed, settings)
  }

  /// Milliseconds of speech heard behind a frame.
  private func heard(_ world: SimulatedWorld, after frame: Int) -> Double {
    world.ear.stretches.filter { $0.first > frame }.map(\.milliseconds).reduce(0, +)
  }

  /// Waits until the agent was heard for a while that the seed chooses.
  private func listen(_ world: SimulatedWorld, after frame: Int) throws {
    try world.run(until: "speech") { world.ear.firstHeard(after: frame) != nil }
    world.run(for: .milliseconds(700) + .milliseconds(Int(world.runtime.randomUInt64() % 2_500)))
  }

  /// The stored answer has the words that the room heard to their end: never one more, and none less
  /// but the one that the cut lies inside. The fade of a cut, 10 ms, is heard and no part of a word, at
  /// either end. Word by word this is shown in ``CutScenarios``.
  private func compare(_ world: SimulatedWorld, _ answer: String, heard: Double) {
    let stored = answer.split(separator: " ")
    #expect(Self.speech.hasPrefix(answer), "\(world.replay): \(answer)")
    let played = heard / 250
    let missing = played - Double(stored.count)
    #expect(
      missing > -20.0 / 250 && missing < 1 + 20.0 / 250,
      "\(world.replay): \(stored.count) of \(played)")
  }

  /// R149.
  @Test(arguments: Scenario.seeds)
  func anInterruptedSayKeepsWhatWasHeard(seed: UInt64) throws {
    let world = try world(seed)
    let voice = try world.joined()
    let start = world.frame
    try voice.say(Self.speech)
    try listen(world, after: start)
    try voice.send(Frame(.interrupt))
    world.run(for: .seconds(2))
    #expect(voice.events(.interrupted).count == 1, "\(world.replay)")
    let turn = try #require(try world.storedTurns(of: voice.sessionID).last)
    #expect(turn.isInterrupted, "\(world.replay)")
    compare(world, turn.answer, heard: heard(world, after: start))
    #expect(voice.states.last == "idle", "\(world.replay)")
  }

  /// R155.
  @Test(arguments: Scenario.seeds)
  func aReplyIsCutByItsRequestAlone(seed: UInt64) throws {
    let world = try world(seed)
    let voice = try world.joined()
    let question = world.ask()
    try listen(world, after: question.lastVoiced)
    try voice.send(Frame(.interrupt, ["request_id": "somebody-else"]))
    world.run(for: .milliseconds(300))
    #expect(voice.events(.interrupted).isEmpty, "\(world.replay)")
    #expect(voice.events(.interruptIgnored).count == 1, "\(world.replay)")
    let request = try #require(voice.events(.responding).last?.requestID)
    try voice.send(Frame(.interrupt, ["request_id": .string(request)]))
    world.run(for: .seconds(2))
    #expect(voice.events(.interrupted).map(\.requestID) == [request], "\(world.replay)")
    let turn = try #require(try world.storedTurns(of: voice.sessionID).last)
    compare(world, turn.answer, heard: heard(world, after: question.lastVoiced))
    // What the model is told next is what was heard.
    _ = world.ask()
    try world.run(until: "the next turn") { voice.events(.turn).count == 2 }
    let remembered = world.model.prompts.last?.messages.last { $0.role == .assistant }?.content
    #expect(remembered == turn.answer, "\(world.replay)")
  }

  /// R152, R154.
  @Test(arguments: Scenario.seeds)
  func aSayThatInterruptsIsHeardAtOnce(seed: UInt64) throws {
    let world = try world(seed)
    let voice = try world.joined()
    let start = world.frame
    try voice.say(Self.speech)
    try listen(world, after: start)
    try voice.say("Stop that now.", interrupt: true)
    try world.run(until: "both turns") { voice.events(.turn).count == 2 }
    world.run(for: .milliseconds(300))
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.isInterrupted) == [true, false], "\(world.replay)")
    #expect(turns.last?.answer == "Stop that now.", "\(world.replay)")
    // The two follow each other without a pause: three words of what was heard are the second's.
    compare(world, turns[0].answer, heard: heard(world, after: start) - 750)
  }

  /// The control: what nobody cuts is heard and kept whole.
  /// R152, R156.
  @Test func aSayThatIsNotCutIsHeardWhole() throws {
    let world = try world(1)
    let voice = try world.joined()
    let start = world.frame
    try voice.say(Self.speech)
    try world.run(until: "the end") { voice.events(.turn).count == 1 }
    world.run(for: .milliseconds(300))
    let turn = try #require(try world.storedTurns(of: voice.sessionID).last)
    #expect(turn.answer == Self.speech)
    #expect(abs(heard(world, after: start) / 250 - 24) < 0.5)
  }

  /// A voice that goes on delivering after it was told to stop is not heard.
  @Test(arguments: Scenario.seeds)
  func lateSpeechOfACutReplyIsNotHeard(seed: UInt64) throws {
    var settings = WorldSettings()
    settings.voiceFaults = FaultPlan([0: .late(.seconds(1))])
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    let start = world.frame
    try voice.say(Self.speech)
    try listen(world, after: start)
    try voice.send(Frame(.interrupt))
    world.run(for: .milliseconds(100))
    let cut = heard(world, after: start)
    world.run(for: .seconds(10))
    #expect(heard(world, after: start) == cut, "\(world.replay)")
  }
}
