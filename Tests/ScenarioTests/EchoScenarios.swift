import Simulation
import Testing
import VisionAgentsCore
import VoiceEngine

/// An agent that hears itself answers itself.
@Suite(.onScenarioThread) struct EchoScenarios {
  private static let speech =
    "This is a long announcement that goes on for a while so that the room is full of it."

  /// What the router heard while the agent spoke and nobody else did.
  private func heard(_ seed: UInt64, gain: Float, isGuarded: Bool) throws -> (
    heard: Int, began: Int, spoken: Double
  ) {
    var settings = WorldSettings()
    settings.acoustics.echoGain = gain
    settings.device.duplex = isGuarded ? .automatic : .full
    settings.device.cancelsEcho = isGuarded
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    try voice.say(Self.speech)
    world.run(for: .seconds(12))
    let spoken = world.ear.stretches.map(\.milliseconds).reduce(0, +)
    return (voice.events(.heard).count, voice.events(.hearing).count, spoken)
  }

  /// Echo return loss of 0 dB and of 6 dB.
  @Test(arguments: Scenario.seeds, [1, 0.5] as [Float])
  func theAgentNeverAnswersItself(seed: UInt64, gain: Float) throws {
    let (heard, began, spoken) = try heard(seed, gain: gain, isGuarded: true)
    #expect(spoken > 4_000, "VOICE_SEED=\(seed): the room was full of speech")
    #expect(heard == 0 && began == 0, "VOICE_SEED=\(seed), gain \(gain)")
  }

  /// The control: without gate and canceller the same room makes a turn of the echo.
  @Test(arguments: [1, 0.5] as [Float])
  func withoutGateAndCancellerItWould(gain: Float) throws {
    let (heard, began, _) = try heard(1, gain: gain, isGuarded: false)
    #expect(heard > 0 && began > 0, "gain \(gain)")
  }

  /// A long reply, then a person over the next one, in a room that returns the agent's voice.
  private func spokenOver(_ seed: UInt64, cancelsEcho: Bool) throws -> (
    bargeIns: Int, heardBefore: Int, journal: String
  ) {
    var settings = WorldSettings()
    settings.acoustics.echoGain = 0.5
    settings.device.cancelsEcho = cancelsEcho
    settings.device.duplex = .automatic
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    try voice.say(Self.speech + " " + Self.speech)
    world.run(for: .seconds(16))
    let heardBefore = voice.events(.heard).count + voice.events(.hearing).count
    try voice.say(Self.speech)
    let frame = world.ear.stretches.last?.last ?? 0
    try world.run(until: "speech") { world.ear.firstHeard(after: frame) != nil }
    world.run(for: .milliseconds(500))
    _ = world.say(after: .milliseconds(20), for: .milliseconds(1_200))
    world.run(for: .seconds(4))
    let journal = world.journal.text
    return (journal.split(separator: "barge-in began").count - 1, heardBefore, journal)
  }

  @Test(arguments: Scenario.seeds)
  func thePersonIsHeardOverTheAgentOnceCancellingIsShown(seed: UInt64) throws {
    let (bargeIns, heardBefore, journal) = try spokenOver(seed, cancelsEcho: true)
    #expect(journal.contains("duplex full"), "VOICE_SEED=\(seed)")
    #expect(heardBefore == 0, "VOICE_SEED=\(seed): the agent heard itself")
    #expect(bargeIns == 1, "VOICE_SEED=\(seed)")
  }

  /// The control: what cancels nothing shows nothing, so the gate stays.
  @Test func withoutACancellerItStaysHalfDuplex() throws {
    let (bargeIns, heardBefore, journal) = try spokenOver(1, cancelsEcho: false)
    #expect(!journal.contains("duplex full"))
    #expect(heardBefore == 0 && bargeIns == 0)
  }
}
