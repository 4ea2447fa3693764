import Foundation

/// The turn engine in virtual time: what it costs, what it cuts off, what it keeps, and when it is
/// silent.
struct TurnsBench: Bench {
  let name = "turns"
  let summary =
    "turns in the simulated room: own share, pauses, dead air, cuts, what is kept of them"

  private static let parts: [any TurnsPart] = [
    EngineCost(), ScriptedPauses(), SilencesOverBudget(), TimeToCut(), KeptWords(),
  ]

  var controls: [String] { Self.parts.map(\.control) }

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let controlled = Self.parts.filter { options.controls.contains($0.control) }
    guard !controlled.isEmpty else {
      return try Self.parts.flatMap { try $0.run(isQuick: options.isQuick, isControl: false) }
    }
    // A control that passes ends well, and that is what is wrong with it.
    return try controlled.flatMap { part in
      let figures = try part.run(isQuick: options.isQuick, isControl: true)
      let missed = figures.filter { $0.holds == false }
      guard missed.isEmpty else {
        let list = missed.map { "\($0.name) is \($0.value ?? 0)" }.joined(separator: ", ")
        throw BenchFailure("as \(part.control) must: \(list).")
      }
      return figures
    }
  }
}
