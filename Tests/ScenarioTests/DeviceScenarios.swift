import Networking
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// A device that is unplugged in the middle of a call: the call goes on, and so does what was said.
@Suite(.onScenarioThread) struct DeviceScenarios {
  private static let line = "Tell me everything."
  private static let answer =
    "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."

  private func settings() -> WorldSettings {
    var settings = WorldSettings()
    settings.lines = [Self.line]
    settings.answers = [Self.line: Self.answer]
    return settings
  }

  /// Asks, and takes the device away a second into the answer.
  private func interrupted(seed: UInt64) throws -> (world: SimulatedWorld, voice: SimulatedVoice) {
    let world = try SimulatedWorld(seed: seed, settings())
    let voice = try world.joined()
    _ = world.ask()
    try world.run(until: "the answer") { voice.states.last == "speaking" }
    world.run(for: .seconds(1))
    world.unplug()
    return (world, voice)
  }

  @Test(arguments: Scenario.seeds)
  func aReplyInProgressIsHeardToItsEnd(seed: UInt64) throws {
    let (world, voice) = try interrupted(seed: seed)
    world.run(for: .seconds(2))
    #expect(voice.states.last != "speaking", "\(world.replay): nothing is heard without a device")
    #expect(voice.events(.turn).isEmpty, "\(world.replay)")
    let plugged = world.runtime.now
    world.plug()
    try world.run(until: "the device") {
      world.journal.texts(of: Journal.Source.device).last == "started"
    }
    #expect(world.runtime.now - plugged < .seconds(1), "\(world.replay): found too late")
    try world.run(until: "the turn's end") { voice.events(.turn).count == 1 }
    let turn = try #require(try world.storedTurns(of: voice.sessionID).last)
    #expect(turn.answer == Self.answer, "\(world.replay): \(turn)")
    // 250 ms a word; a block or two that the device held were never heard.
    let heard = world.ear.stretches.map(\.milliseconds).reduce(0, +)
    #expect(abs(heard - 14 * 250) < 120, "\(world.replay): \(heard) ms were heard")
    world.run(for: .seconds(1))
    #expect(voice.states.last == "idle", "\(world.replay)")
    _ = world.ask()
    try world.run(until: "another answer") { voice.events(.turn).count == 2 }
  }

  /// The control: a device that stays away leaves the reply unheard.
  @Test func withoutTheDeviceTheReplyIsNotOver() throws {
    let (world, voice) = try interrupted(seed: 1)
    world.run(for: .seconds(8))
    #expect(voice.events(.turn).isEmpty)
    #expect(voice.events(.error).isEmpty)
  }

  @Test(arguments: Scenario.seeds)
  func speechThatWaitedTooLongIsNotSpoken(seed: UInt64) throws {
    let (world, voice) = try interrupted(seed: seed)
    world.run(for: .seconds(15))
    let before = world.ear.stretches.map(\.milliseconds).reduce(0, +)
    world.plug()
    world.run(for: .seconds(10))
    let after = world.ear.stretches.map(\.milliseconds).reduce(0, +)
    #expect(after - before < 60, "\(world.replay): \(after - before) ms of stale speech")
    let turns = voice.events(.turn).count
    _ = world.ask()
    try world.run(until: "another answer") { voice.events(.turn).count > turns }
  }

  /// The person's sentence is broken off by the loss: what was heard of it is answered.
  @Test(arguments: Scenario.seeds)
  func aSentenceThatTheLossBreaksOffIsAnswered(seed: UInt64) throws {
    let world = try SimulatedWorld(seed: seed, settings())
    let voice = try world.joined()
    world.say(after: .milliseconds(500), for: .seconds(3))
    world.run(for: .seconds(2))
    world.unplug()
    try world.run(until: "the words") { voice.events(.heard).count == 1 }
    world.plug()
    try world.run(until: "the turn's end") { voice.events(.turn).count == 1 }
  }
}
