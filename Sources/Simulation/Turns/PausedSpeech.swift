import Networking
import SessionsModel
import Stores
import VisionAgentsCore
import VoiceEngine

/// Utterances with pauses in them, one after the other in one session, and what became of each.
///
/// An utterance is two to four stretches of sound, long and short ones, with pauses between. The
/// recogniser hears the stretches, so that the words of the turn tell which part of it was heard.
public struct PausedSpeech: Sendable {
  /// What ends a turn, and how long the pauses are.
  public enum Kind: Sendable, CaseIterable {
    /// An end-of-turn model that knows; pauses of 0.2 to 1.2 s.
    case judged
    /// The silence of 500 ms alone; pauses of 0.15 to 0.44 s.
    case silence
    /// The same silence, and one pause of 0.56 to 0.75 s: the turn is over, but nothing of its answer
    /// was heard yet when the person goes on.
    case takenBack
  }

  /// Utterances.
  public var count = 0
  /// Something was heard of the agent before the person was done.
  public var cutOffEarly = 0
  /// More than one answer was kept, or heard.
  public var answeredTwice = 0
  /// No answer to all that was said.
  public var lost = 0
  /// Turns that were over, and were taken back unheard.
  public var takenBack = 0
  /// One line for each that went wrong.
  public var wrong: [String] = []

  public init() {}

  public static func + (one: PausedSpeech, other: PausedSpeech) -> PausedSpeech {
    var sum = one
    sum.count += other.count
    sum.cutOffEarly += other.cutOffEarly
    sum.answeredTwice += other.answeredTwice
    sum.lost += other.lost
    sum.takenBack += other.takenBack
    sum.wrong += other.wrong
    return sum
  }

  private struct Plan {
    var isLong: [Bool]
    /// In milliseconds, behind each stretch but the last.
    var pauses: [Int]
  }

  /// - Parameters:
  ///   - count: utterances of the session.
  ///   - isAlwaysSure: the negative control: every pause is taken for the end.
  public static func hold(
    seed: UInt64, _ kind: Kind, count: Int, isAlwaysSure: Bool = false
  ) throws -> PausedSpeech {
    let world = try SimulatedWorld(seed: seed, settings(kind, isAlwaysSure))
    let voice = try world.joined()
    var result = PausedSpeech()
    for _ in 0..<count {
      try result.hear(plan(kind, world), world, voice, seed: seed)
    }
    return result
  }

  private static func settings(_ kind: Kind, _ isAlwaysSure: Bool) -> WorldSettings {
    var settings = WorldSettings()
    settings.hearsStretches = true
    // What passes of the agent's echo for speech is measured elsewhere.
    settings.device.duplex = .half
    switch kind {
    case .judged: settings.endOfTurn = isAlwaysSure ? .alwaysSure : .knows
    case .silence: break
    // No answer is heard before the person goes on.
    case .takenBack: settings.modelDelay = .milliseconds(900)
    }
    return settings
  }

  private static func plan(_ kind: Kind, _ world: SimulatedWorld) -> Plan {
    func chance(_ count: Int) -> Int { Int(world.runtime.randomUInt64() % UInt64(count)) }
    let isLong = (0..<2 + chance(3)).map { _ in chance(2) == 0 }
    var pauses = isLong.dropFirst().map { _ in
      kind == .judged ? 200 + chance(1_000) : 150 + chance(290)
    }
    if kind == .takenBack { pauses[chance(pauses.count)] = 560 + chance(190) }
    return Plan(isLong: isLong, pauses: pauses)
  }

  private mutating func hear(
    _ plan: Plan, _ world: SimulatedWorld, _ voice: SimulatedVoice, seed: UInt64
  ) throws {
    let turnsBefore = try world.storedTurns(of: voice.sessionID).count
    world.endOfTurn?.expect(plan.isLong.count)
    var at = 300 + Int(world.runtime.randomUInt64() % 40)
    var said: [Utterance] = []
    for (number, isLong) in plan.isLong.enumerated() {
      let length = isLong ? 800 : 300
      said.append(world.say(after: .milliseconds(at), for: .milliseconds(length)))
      at += length + (number < plan.pauses.count ? plan.pauses[number] : 0)
    }
    guard let first = said.first?.firstVoiced, let last = said.last?.lastVoiced else { return }
    // An answer comes within 3 s and is over within 3 more; what nobody answers is seen after that.
    world.run(for: .milliseconds(at + 7_000))
    let sounds = world.ear.stretches.filter { $0.first >= first }
    let turns = try world.storedTurns(of: voice.sessionID).dropFirst(turnsBefore)
    let whole = turns.filter { !$0.isInterrupted }
    let words = StretchCounter.words(plan.isLong)
    let isEarly = sounds.contains { $0.first <= last }
    let isTwice = whole.count > 1 || sounds.count { $0.first > last } > 1
    let isLost =
      !whole.contains { $0.said == words } || !sounds.contains { $0.first > last }
    count += 1
    takenBack += turns.count - whole.count
    if isEarly { cutOffEarly += 1 }
    if isTwice { answeredTwice += 1 }
    if isLost { lost += 1 }
    guard isEarly || isTwice || isLost else { return }
    let kept = turns.map { $0.isInterrupted ? "(\($0.said))" : $0.said }.joined(separator: " | ")
    wrong.append(
      "VOICE_SEED=\(seed), number \(count), pauses \(plan.pauses): \(words) became \(kept), "
        + "\(sounds.count) sounds")
  }
}
