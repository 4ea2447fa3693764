import Foundation
import Simulation

/// Utterances with pauses in them: who is cut off, answered twice, or not at all.
///
/// A third is judged by an end-of-turn model that knows, a third by the silence alone with pauses shorter
/// than it, and of a third the turn was over and is taken back unheard when the person goes on.
struct ScriptedPauses: TurnsPart {
  /// Every pause is taken for the end of the turn.
  let control = "judge=sure"

  private static let utterancesOfAWorld = 10

  func run(isQuick: Bool, isControl: Bool) throws -> [Figure] {
    var sum = PausedSpeech()
    var takenBack = PausedSpeech()
    for seed in 1...(isQuick ? 2 : 7) {
      for kind in PausedSpeech.Kind.allCases {
        let held = try PausedSpeech.hold(
          seed: UInt64(seed), kind, count: Self.utterancesOfAWorld, isAlwaysSure: isControl)
        sum = sum + held
        if kind == .takenBack { takenBack = takenBack + held }
      }
    }
    for line in sum.wrong.prefix(20) {
      FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
    return [
      .count("cut_off_early", sum.cutOffEarly, of: sum.count),
      .count("answered_twice", sum.answeredTwice, of: sum.count),
      .count("lost_turns", sum.lost, of: sum.count),
      // Without any the bench would not have tried it.
      Figure("turns_taken_back", [Double(takenBack.takenBack)], unit: "count"),
    ]
  }
}
