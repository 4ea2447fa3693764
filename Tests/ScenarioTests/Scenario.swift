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

  /// A session with this device on its call.
  func joined() throws -> SimulatedVoice {
    let voice = try startVoice()
    try voice.join()
    run(for: .milliseconds(500))
    return voice
  }

  /// Asks one question after the other, each a while after the answer before it.
  func converse(questions: Int) throws -> (voice: SimulatedVoice, utterances: [Utterance]) {
    let voice = try joined()
    var utterances: [Utterance] = []
    for number in 1...questions {
      utterances.append(ask())
      try run(until: "turn \(number)") { voice.events(.turn).count == number }
      run(for: .milliseconds(500))
    }
    return (voice, utterances)
  }

  /// A question that begins and ends anywhere within the windows of the detectors.
  func ask(after delay: Duration = .milliseconds(800)) -> Utterance {
    let chance = runtime.randomUInt64()
    return say(
      after: delay + .microseconds(Int64(chance % 40_000)),
      for: .milliseconds(900) + .microseconds(Int64((chance >> 32) % 400_000)))
  }
}

extension WorldSettings {
  /// The reply to each of the lines.
  var replies: [String] { lines.compactMap { answers[$0] } }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
