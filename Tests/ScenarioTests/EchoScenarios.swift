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
    settings.device.isHalfDuplex = isGuarded
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
}
