import Simulation
import Stores
import Testing
import VisionAgentsCore

/// A device that listens only after its word.
@Suite(.onScenarioThread) struct WakeWordScenarios {
  private static let word = WakeWord("scripted")

  private func joined(
    _ world: SimulatedWorld, _ word: WakeWord? = word
  ) throws -> SimulatedVoice {
    let voice = try world.startVoice(wakeWord: word)
    try voice.join()
    world.run(for: .milliseconds(500))
    return voice
  }

  /// Until the word nothing of the microphone leaves the device. The control is a device without one.
  @Test(arguments: [word, nil])
  func nothingIsHeardUntilTheWordIsSaid(word: WakeWord?) throws {
    let world = try SimulatedWorld(seed: 1)
    let voice = try joined(world, word)
    #expect(voice.isAsleep == (word != nil))
    world.ask()
    world.run(for: .seconds(8))
    let isStored = try !world.storedTurns(of: voice.sessionID).isEmpty
    let isSilent = voice.events(.heard).isEmpty && !isStored
    #expect(isSilent == (word != nil), "\(world.replay)")
    #expect(voice.states.contains("listening") == (word == nil), "\(world.replay)")
    if word != nil {
      #expect(world.wakeWord.loudest > 1_000, "the detector hears what the call does not")
    }
  }

  @Test(arguments: Scenario.seeds)
  func whoFollowsUpNeedsNoWordAndWhoIsQuietLetsItSleep(seed: UInt64) throws {
    let world = try SimulatedWorld(seed: seed)
    let voice = try joined(world, WakeWord("scripted", followUp: .seconds(3)))
    world.wakeWord.say()
    world.run(for: .milliseconds(100))
    #expect(!voice.isAsleep)
    for number in 1...2 {
      world.ask()
      try world.run(until: "turn \(number)") { voice.events(.turn).count == number }
      world.run(for: .milliseconds(1_500))
      #expect(!voice.isAsleep, "\(world.replay): time is left to follow up")
    }
    world.run(for: .seconds(3))
    #expect(voice.isAsleep, "\(world.replay)")
    world.ask()
    world.run(for: .seconds(4))
    #expect(voice.events(.heard).count == 2, "\(world.replay): the third was not for the agent")
    // Packets that stop for long and come again are no trouble to the call.
    world.wakeWord.say()
    world.ask()
    try world.run(until: "turn 3") { voice.events(.turn).count == 3 }
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.said) == Array(WorldSettings().lines.prefix(3)), "\(world.replay)")
  }

  /// The detector is sure only after the word's end: who goes on in the same breath loses nothing.
  @Test(arguments: Scenario.seeds)
  func aQuestionInTheSameBreathIsHeard(seed: UInt64) throws {
    let world = try SimulatedWorld(seed: seed)
    let voice = try joined(world)
    world.runtime.after(.milliseconds(1_050)) { world.wakeWord.say() }
    world.ask()
    try world.run(until: "turn 1") { voice.events(.turn).count == 1 }
    #expect(voice.events(.heard).last?.text == WorldSettings().lines[0], "\(world.replay)")
  }

  /// A greeting, or news: the agent begins, and is answered without the word.
  @Test func anAgentThatBeginsMayBeAnswered() throws {
    var settings = WorldSettings()
    settings.greeting = "Hello there."
    let world = try SimulatedWorld(seed: 3, settings)
    let voice = try joined(world)
    try world.run(until: "the greeting is over") {
      voice.states.contains("speaking") && voice.states.last == "idle"
    }
    #expect(!voice.isAsleep)
    world.ask()
    try world.run(until: "a turn") { voice.events(.turn).count == 1 }
  }

  @Test func leavingEndsTheDetector() throws {
    let world = try SimulatedWorld(seed: 4)
    let voice = try joined(world)
    try voice.leave()
    world.run(for: .milliseconds(500))
    #expect(world.wakeWord.isClosed)
    #expect(!world.isDeviceOpen)
  }
}
