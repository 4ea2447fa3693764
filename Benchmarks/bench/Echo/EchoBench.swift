import EchoScenes
import Foundation

/// Suite S in generated rooms: what of the agent's own echo passes for speech, and what of a person
/// who talks over the agent is heard.
struct EchoBench: Bench {
  let name = "echo"
  let summary = "echo heard as speech, double talk and barge-in, beside the installable cancellers"
  let controls = ["canceller=off"]

  /// Sounds that cannot be made anew, from the checkout's root.
  static let recordings = "fixtures/echo"

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let seed = Machine.commit.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    let lines = try EchoLine.measure(
      seed: seed, isQuick: options.isQuick,
      isWithoutCanceller: options.controls.contains("canceller=off"))
    let table = EchoTable(lines: lines)
    FileHandle.standardError.write(Data("fresh part of seed \(seed)\n\(table.text)".utf8))
    let ours = Self.echoHeard(as: "ours", lines)
    let raw = Self.echoHeard(as: "raw microphone", lines)
    guard ours < raw / 2 else {
      throw BenchFailure(
        "Ours lets \(ours) % of the echo pass for speech, the raw microphone \(raw) %: it cancels nothing."
      )
    }
    return EchoFigures(lines: lines).all
  }

  /// Mean over the held-out half, in percent.
  private static func echoHeard(as row: String, _ lines: [EchoLine]) -> Double {
    let heard = lines.filter { $0.part == Int(ECHO_HELD_OUT) && $0.row == row }
      .map(\.judgement.echo_speech_pct)
    return heard.reduce(0, +) / Double(max(heard.count, 1))
  }
}
