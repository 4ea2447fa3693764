import Foundation
import Simulation

/// What is remembered of replies that are cut anywhere, against the recording of the simulated room.
struct KeptWords: TurnsPart {
  /// A voice that does not say where its words end is guessed by its letters.
  let control = "word_times=off"

  private static let cutsOfAWorld = 25

  func run(isQuick: Bool, isControl: Bool) throws -> [Figure] {
    let begun = ContinuousClock.now
    var cuts: [HeardCut] = []
    for seed in 1...(isQuick ? 4 : 40) {
      var settings = WorldSettings()
      settings.voiceTellsWords = !isControl
      cuts += try RandomCuts.make(seed: UInt64(seed), count: Self.cutsOfAWorld, &settings)
    }
    let took = ContinuousClock.now - begun
    let minutes = Double(took.components.seconds) / 60 + Double(took.components.attoseconds) / 6e19
    let straddled = cuts.compactMap(\.straddled)
    return [
      .count("heard_history_mismatches", cuts.count { !$0.isTrue }, of: cuts.count),
      Figure("cuts_inside_a_word", [Double(straddled.count)], unit: "count"),
      Figure("cuts_per_minute", [Double(cuts.count) / minutes], unit: "1/min", better: .higher),
    ]
  }
}
