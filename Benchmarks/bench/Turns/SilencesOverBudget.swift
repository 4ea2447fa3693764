import Foundation
import Simulation

/// Silence for longer than the budget, under every fault of every provider, with spares and without.
struct SilencesOverBudget: TurnsPart {
  /// A budget of a minute.
  let control = "budget=off"

  private static let budget = 3_000.0

  func run(isQuick: Bool, isControl: Bool) throws -> [Figure] {
    var (over, questions) = (0, 0)
    for seed in 1...(isQuick ? 1 : 4) {
      for role in DeadAir.Role.allCases {
        for fault in DeadAir.faults where DeadAir.canHappen(fault, to: role) {
          // Without another voice nobody can say anything at all.
          for hasSpares in role == .voice ? [true] : [false, true] {
            let settings = DeadAir.settings(
              role, fault, budget: isControl ? 60_000 : Self.budget, hasSpares: hasSpares)
            let world = try SimulatedWorld(seed: UInt64(seed), settings)
            over += try DeadAir.silences(over: Self.budget, in: world)
            questions += 1
          }
        }
      }
    }
    return [.count("dead_air_over_budget", over, of: questions)]
  }
}
