import SessionsModel
import Stores
import VisionAgentsCore

/// Replies that are cut anywhere, one after the other in one session.
public enum RandomCuts {
  /// Words of different lengths as written and of the same length as spoken; an "a1" is as long in
  /// the ear as a "considerably21".
  private static let stems = ["a", "word", "considerably", "of", "extraordinary"]
  private static let speech =
    (1...32).map { "\(stems[$0 * 7 % stems.count])\($0)" }.joined(separator: " ") + "."

  /// - Parameter count: how many replies are cut.
  /// - Returns: what was kept and heard of each.
  public static func make(seed: UInt64, count: Int, _ settings: inout WorldSettings) throws
    -> [HeardCut]
  {
    settings.isRoomRecorded = true
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.startVoice()
    try voice.join()
    world.run(for: .milliseconds(500))
    return try (0..<count).map { number in
      let start = world.frame
      try voice.say(speech)
      try world.run(until: "speech") { world.ear.firstHeard(after: start) != nil }
      world.run(for: .microseconds(Int64(world.runtime.randomUInt64() % 4_000_000)))
      try voice.send(Frame(.interrupt))
      try world.run(until: "the cut") { voice.events(.turn).count == number + 1 }
      world.run(for: .milliseconds(400))
      let answer = try world.storedTurns(of: voice.sessionID).last?.answer ?? ""
      return HeardCut(answer: answer, recording: world.ear.recording[start...])
    }
  }
}
