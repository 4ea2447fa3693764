import Foundation
import Simulation

/// What is remembered of replies that are cut anywhere, against the recording of the simulated room.
struct TurnsBench: Bench {
  let name = "turns"
  let summary = "words kept of replies that were cut, by the simulated room's recording"
  /// A voice that does not say where its words end is guessed by its letters.
  let controls = ["word_times=off"]

  private static let cutsOfAWorld = 25

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let isControl = options.controls.contains("word_times=off")
    let worlds = options.isQuick ? 4 : 40
    let begun = ContinuousClock.now
    var cuts: [HeardCut] = []
    for seed in 1...worlds {
      var settings = WorldSettings()
      settings.voiceTellsWords = !isControl
      cuts += try RandomCuts.make(seed: UInt64(seed), count: Self.cutsOfAWorld, &settings)
    }
    let took = ContinuousClock.now - begun
    let wrong = cuts.count { !$0.isTrue }
    let straddled = cuts.compactMap(\.straddled)
    if isControl {
      throw BenchFailure(
        wrong == 0
          ? "the control passed: no cut was kept wrongly although the voice tells no times."
          : "as the control must: \(wrong) of \(cuts.count) cuts are kept wrongly.")
    }
    var mismatches = Figure(
      "heard_history_mismatches", [Double(wrong)], unit: "count", bar: 0, better: .lower)
    mismatches.n = cuts.count
    let minutes = Double(took.components.seconds) / 60 + Double(took.components.attoseconds) / 6e19
    return [
      mismatches,
      Figure("cuts_inside_a_word", [Double(straddled.count)], unit: "count"),
      Figure("cuts_per_minute", [Double(cuts.count) / minutes], unit: "1/min", better: .higher),
    ]
  }
}
