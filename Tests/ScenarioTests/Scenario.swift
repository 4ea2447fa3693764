import Foundation
import SessionsModel
import Simulation
import VisionAgentsCore

/// How scenarios are run: over a few seeds, or over the one that `VOICE_SEED` names.
enum Scenario {
  /// The seeds of this run. A failure names its own; `VOICE_SEED=<n> swift test` repeats it alone.
  static let seeds: [UInt64] = {
    if let text = ProcessInfo.processInfo.environment["VOICE_SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return [1, 2, 3]
  }()

  /// The first line in which two journals differ.
  static func firstDifference(_ one: String, _ other: String) -> String {
    let (left, right) = (one.split(separator: "\n"), other.split(separator: "\n"))
    let pair = zip(left, right).first { $0 != $1 }
    return pair.map { "\($0)\n\($1)" } ?? "\(left.count) and \(right.count) lines"
  }
}

extension SimulatedWorld {
  /// What to print with every expectation.
  var replay: String { "VOICE_SEED=\(seed)" }

  /// When the device says that a generation was first heard, in capture frames.
  func startedAt(generation: Int) -> Int? {
    journal.entries.lazy
      .filter { $0.source == Journal.Source.sent && $0.frame?.type == .callPlayed }
      .filter { $0.frame?["generation"]?.intValue == generation }
      .compactMap { $0.frame?["started_at"]?.intValue }.first
  }
}

extension WorldSettings {
  /// The reply to each of the lines.
  var replies: [String] { lines.compactMap { answers[$0] } }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
