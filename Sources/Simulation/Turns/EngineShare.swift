import AgentRouter
import Networking
import SessionsModel
import VisionAgentsCore

/// What the router itself adds to an answer: recogniser, model and voice take no time at all.
public struct EngineShare: Sendable {
  /// From the decision that the turn is over to the first sample on its way, in ms of virtual time.
  public var answer: Double
  /// From the person's last voiced sample to the first audible one at the speaker, without the wait for
  /// the end of the turn, in ms: device, codec, detector, call and buffers.
  public var aroundIt: Double
  /// CPU of everything that was simulated from just before the decision to that sample, in ms.
  public var cpu: Double

  /// - Parameters:
  ///   - voiceDelay: of the voice; more than nothing is the negative control.
  ///   - threadSeconds: CPU time of this thread.
  public static func measure(
    seed: UInt64, turns: Int, voiceDelay: Duration = .zero, threadSeconds: () -> Double
  ) throws -> [EngineShare] {
    var settings = WorldSettings()
    settings.recogniserDelay = .zero
    settings.modelDelay = .zero
    settings.modelDelayPerWord = .zero
    settings.voiceDelay = voiceDelay
    // The control must not hide behind what is made ahead.
    settings.configure = { $0.agents[0].turn.isAhead = voiceDelay == .zero }
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.joined()
    return try (1...turns).map { number in
      let question = world.ask()
      let beforeDecision = question.lastVoiced + (settings.silenceMilliseconds - 20) * 48
      try world.run(until: "the pause") { world.frame >= beforeDecision }
      let begun = threadSeconds()
      try world.run(until: "an answer") { world.ear.firstHeard(after: question.lastVoiced) != nil }
      let cpu = (threadSeconds() - begun) * 1_000
      try world.run(until: "the turn") { voice.events(.turn).count == number }
      world.run(for: .milliseconds(500))
      guard let turn = voice.events(.turn).last,
        let answer = turn.fields["answer_ms"]?.doubleValue,
        let endpoint = turn.fields["endpoint_ms"]?.doubleValue,
        let heard = world.ear.firstHeard(after: question.lastVoiced)
      else { throw Unmeasured(description: "VOICE_SEED=\(seed): turn \(number) has no times.") }
      return EngineShare(
        answer: answer, aroundIt: Double(heard - question.lastVoiced) / 48 - endpoint, cpu: cpu)
    }
  }

  public struct Unmeasured: Error, CustomStringConvertible {
    public let description: String
  }
}
