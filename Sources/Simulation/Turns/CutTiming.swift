import Networking
import SessionsModel
import Stores
import VisionAgentsCore
import VoiceEngine

/// How long after the device's decision that somebody speaks over the agent the speaker is silent, the
/// model stopped and the history cut, over a network that takes its time.
public struct CutTiming: Sendable {
  /// From the device's first decision, which holds the voice, to the last audible sample, in ms; to 10
  /// ms, a device's block.
  public var silence: Double
  /// From the decision that confirms it to the model's stop at the router, in ms.
  public var modelStopped: Double
  /// To the device's being told of the cut, in ms; the history is cut before that.
  public var told: Double

  /// Nobody decided anything, or nothing was cut.
  public struct NoCut: Error, CustomStringConvertible {
    public let description: String
  }

  private static let answer = (1...60).map { "word\($0)" }.joined(separator: " ") + "."

  /// One question whose answer is spoken over.
  ///
  /// - Parameters:
  ///   - latency: of the network, one way.
  ///   - isHalfDuplex: the negative control: who cannot be heard cannot interrupt.
  /// - Throws: ``NoCut`` when the agent speaks on.
  public static func measure(
    seed: UInt64, latency: Duration, isHalfDuplex: Bool = false
  ) throws -> CutTiming {
    var settings = WorldSettings()
    settings.lines = ["What is the capital of France?", "Who wrote Hamlet?"]
    settings.answers[settings.lines[0]] = answer
    // The model still writes while its first words are heard.
    settings.modelDelayPerWord = .milliseconds(120)
    settings.link.latency = latency
    settings.device.duplex = isHalfDuplex ? .half : .full
    settings.acoustics.echoGain = 0
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    let question = world.ask()
    try world.run(until: "speech") { world.ear.firstHeard(after: question.lastVoiced) != nil }
    world.run(
      for: .milliseconds(500) + .microseconds(Int64(world.runtime.randomUInt64() % 1_000_000)))
    let over = world.say(after: .milliseconds(20), for: .milliseconds(1_200))
    // 1 s and both ways; an answer that is not cut takes 15 s.
    world.run(for: .milliseconds(1_000) + latency * 2)
    return try read(world, voice, over)
  }

  private static func read(
    _ world: SimulatedWorld, _ voice: SimulatedVoice, _ over: Utterance
  ) throws -> CutTiming {
    let entries = world.journal.entries
    guard
      // The voice is held by the first decision and cut by the one that confirms it.
      let held = entries.first(where: {
        $0.source == Journal.Source.sent && $0.frame?.type == .callBargein
      })?.nanoseconds,
      let decided = entries.last(where: {
        $0.source == Journal.Source.sent && $0.frame?.type == .callBargein
          && $0.frame?["confirmed"]?.boolValue == true
      })?.nanoseconds,
      let told = entries.first(where: {
        $0.source == Journal.Source.received && $0.frame?.type == .interrupted
          && $0.nanoseconds >= decided
      })?.nanoseconds,
      let stopped = world.model.stoppedAt.first(where: { $0.nanoseconds >= decided }),
      let sound = world.ear.stretches.last(where: { $0.first < over.firstVoiced })
    else { throw NoCut(description: "VOICE_SEED=\(world.seed): the agent spoke on.") }
    // Where the first decision lies on the capture axis.
    let frame = Double(world.frame) - Double(world.runtime.now.nanoseconds - held) * 48e-6
    return CutTiming(
      silence: max(0, (Double(sound.last) - frame) / 48),
      modelStopped: Double(stopped.nanoseconds - decided) / 1e6,
      told: Double(told - decided) / 1e6)
  }
}
