import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore
import VoiceEngine

/// Somebody speaks over the agent. No echo reaches the microphone here: what the canceller is worth
/// is measured elsewhere.
@Suite(.onScenarioThread) struct BargeInScenarios {
  private static let speech = (1...24).map { "word\($0)" }.joined(separator: " ") + "."
  private static let second = "Who wrote Hamlet?"

  /// A room in which the agent has been heard for a while.
  private struct Scene {
    var world: SimulatedWorld
    var voice: SimulatedVoice
    var question: Utterance

    /// Milliseconds of the agent's speech heard behind a frame.
    func heard(after frame: Int) -> Double {
      world.ear.stretches.filter { $0.last > frame }
        .map { Double($0.last - max($0.first, frame) + 1) / 48 }.reduce(0, +)
    }

    func answer() throws -> TurnRecord? { try world.storedTurns(of: voice.sessionID).first }
  }

  /// - Parameter words: what the recogniser makes of what is said over the agent.
  private func scene(_ seed: UInt64, words: String, isHalfDuplex: Bool = false) throws -> Scene {
    var settings = WorldSettings()
    settings.lines = ["What is the capital of France?", words]
    settings.answers = [
      settings.lines[0]: Self.speech, Self.second: "William Shakespeare wrote Hamlet.",
    ]
    settings.device.duplex = isHalfDuplex ? .half : .full
    settings.acoustics.echoGain = 0
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    let question = world.ask()
    try world.run(until: "speech") { world.ear.firstHeard(after: question.lastVoiced) != nil }
    world.run(for: .milliseconds(700) + .milliseconds(Int(world.runtime.randomUInt64() % 1_500)))
    return Scene(world: world, voice: voice, question: question)
  }

  @Test(arguments: Scenario.seeds)
  func theAgentStopsAtOnceAndKeepsWhatWasHeard(seed: UInt64) throws {
    let scene = try scene(seed, words: Self.second)
    let world = scene.world
    let over = world.say(after: .milliseconds(20), for: .milliseconds(1_200))
    try world.run(until: "both turns") { scene.voice.events(.turn).count == 2 }
    world.run(for: .milliseconds(300))
    let last = try #require(world.ear.stretches.last { $0.first < over.firstVoiced })
    let delay = Double(last.last - over.firstVoiced) / 48
    #expect(delay <= 280, "\(world.replay): silent \(delay) ms after the first voiced sample")
    #expect(scene.voice.events(.interrupted).count == 1, "\(world.replay)")
    let turns = try world.storedTurns(of: scene.voice.sessionID)
    #expect(turns.map(\.isInterrupted) == [true, false], "\(world.replay)")
    #expect(turns.last?.answer == "William Shakespeare wrote Hamlet.", "\(world.replay)")
    let kept = try #require(try scene.answer()).answer.split(separator: " ").count
    let words = Double(last.last - last.first + 1) / 48 / 250
    #expect(abs(Double(kept) - words) <= 1, "\(world.replay): \(kept) of \(words)")
  }

  /// What is no word costs nothing: the agent goes on where it stopped, and says it all.
  @Test(arguments: Scenario.seeds, ["", "Mm-hm."])
  func aCoughOrAListenersWordOnlyPausesTheAgent(seed: UInt64, words: String) throws {
    let scene = try scene(seed, words: words)
    let world = scene.world
    _ = world.say(after: .milliseconds(20), for: .milliseconds(300))
    try world.run(until: "the turn", limit: .seconds(20)) { scene.voice.events(.turn).count == 1 }
    world.run(for: .milliseconds(500))
    #expect(scene.voice.events(.interrupted).isEmpty, "\(world.replay)")
    #expect(try scene.answer()?.answer == Self.speech, "\(world.replay)")
    #expect(try scene.answer()?.isInterrupted == false, "\(world.replay)")
    let heard = scene.heard(after: scene.question.lastVoiced)
    #expect(abs(heard - 24 * 250) < 125, "\(world.replay): \(heard) ms of 6000 were heard")
    let pauses = world.ear.stretches.filter { $0.first > scene.question.lastVoiced }.count - 1
    #expect(pauses == 1, "\(world.replay): the agent paused \(pauses) times")
    let told = scene.voice.events(.backchannel).count
    #expect(told == (words.isEmpty ? 0 : 1), "\(world.replay)")
  }

  /// The control: who cannot be heard cannot interrupt.
  @Test func inHalfDuplexTheAgentSpeaksOn() throws {
    let scene = try scene(1, words: Self.second, isHalfDuplex: true)
    _ = scene.world.say(after: .milliseconds(20), for: .milliseconds(1_200))
    try scene.world.run(until: "the turn") { scene.voice.events(.turn).count == 1 }
    #expect(scene.voice.events(.interrupted).isEmpty)
    #expect(try scene.answer()?.answer == Self.speech)
  }
}
