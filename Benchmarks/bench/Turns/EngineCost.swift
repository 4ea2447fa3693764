import AgentRouter
import Foundation
import Simulation

/// What the engine itself adds to an answer when recogniser, model and voice take no time, and what a
/// frame of the microphone costs it.
struct EngineCost: TurnsPart {
  /// A voice that takes 60 ms, and windows that are heard twenty times.
  let control = "stubs=slow"

  private static let turnsOfAWorld = 10
  /// 32 ms.
  private static let windowSamples = 512
  private static let windows = 5_000

  func run(isQuick: Bool, isControl: Bool) throws -> [Figure] {
    let shares = try (1...(isQuick ? 2 : 10)).flatMap { seed in
      try EngineShare.measure(
        seed: UInt64(seed), turns: Self.turnsOfAWorld,
        voiceDelay: isControl ? .milliseconds(60) : .zero
      ) { Machine.threadSeconds }
    }
    let frames = (0..<(isQuick ? 3 : 9)).map { _ in
      Self.microsecondsOfAFrame(heard: isControl ? 20 : 1)
    }
    var frame = Figure("engine_frame_us", frames, unit: "us", bar: 5, better: .lower)
    // Whatever else ran took from it.
    frame.value = frames.min()
    return [
      .atMost("engine_share_p95_ms", shares.map { $0.answer + $0.cpu }, bar: 40),
      .atMost("engine_wait_p95_ms", shares.map(\.answer)),
      .atMost("around_the_engine_p95_ms", shares.map(\.aroundIt)),
      frame,
    ]
  }

  /// CPU of 20 ms of microphone: 1.9 s of speech, then 1.3 s of silence, again and again.
  private static func microsecondsOfAFrame(heard times: Int) -> Double {
    let speech = (0..<windowSamples).map { Int16(8_000 * sin(Double($0) / 9)) }
    let silence = [Int16](repeating: 3, count: windowSamples)
    var cost = HearingCost()
    let begun = Machine.threadSeconds
    for window in 0..<windows {
      let isSpeech = window % 100 < 60
      (isSpeech ? speech : silence).withUnsafeBufferPointer { samples in
        for _ in 0..<times { cost.hear(samples, probability: isSpeech ? 0.9 : 0.05) }
      }
    }
    let seconds = Machine.threadSeconds - begun
    precondition(cost.turns >= windows / 100 - 1, "turns were not heard")
    return seconds * 1e6 / Double(windows) * 20 / 32
  }
}
