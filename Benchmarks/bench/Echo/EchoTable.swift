import EchoScenes
import Foundation

/// The suite's means, one row for each canceller, one block for each part.
struct EchoTable {
  let lines: [EchoLine]

  private static let parts: [(Int, String)] = [
    (Int(ECHO_HELD_OUT), "held-out half"), (Int(ECHO_TUNING), "tuning half"),
    (Int(ECHO_FRESH), "fresh rooms"),
  ]

  var text: String {
    var text = ""
    for (part, title) in Self.parts where lines.contains(where: { $0.part == part }) {
      text += "\(title)\n\(Self.head)\n"
      for row in rows(of: part) { text += line(of: row, in: part) + "\n" }
    }
    return text + scenesOfOurs + alone
  }

  private func rows(of part: Int) -> [String] {
    lines.filter { $0.part == part }.map(\.row).reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  private static let head =
    column("", 24)
    + [
      "echo%", "2s%", "starts", "recall", "worst", "alone", "estoi", "gain dB", "erle2", "erle18",
      "barge ms", "lag ms", "p50 us", "p99 us",
    ].map { column($0, 9) }.joined()

  private func line(of row: String, in part: Int) -> String {
    let own = lines.filter { $0.part == part && $0.row == row }
    if let why = own.first?.missing { return Self.column(row, 24) + " not measured: \(why)" }
    let all = own.map(\.judgement)
    let minutes = all.map(\.far_minutes).reduce(0, +)
    let starts = all.map(\.false_starts).reduce(0, +) / minutes * 10
    let barge = all.map(\.bargein_ms).filter(\.isFinite)
    let worstRecall = all.map(\.recall).min() ?? 0
    let worstGain = all.map(\.person_gain_db).max { abs($0) < abs($1) } ?? 0
    var cells: [Double] = [mean(all.map(\.echo_speech_pct)), mean(all.map(\.first2s_pct)), starts]
    cells += [mean(all.map(\.recall)), worstRecall, mean(all.map(\.person_recall))]
    cells += [mean(all.map(\.estoi)), worstGain]
    cells += [mean(all.map(\.erle_first2s_db)), mean(all.map(\.erle_8_18_db))]
    cells += [median(barge) ?? .nan, median(all.map(\.lag_ms)) ?? 0]
    cells += [median(all.map(\.cpu_p50_us)) ?? 0, all.map(\.cpu_p99_us).max() ?? 0]
    return Self.column(row, 24) + cells.map(Self.cell).joined()
  }

  private static func cell(_ value: Double) -> String {
    column(String(format: abs(value) < 10 ? "%.3f" : "%.1f", value), 9)
  }

  /// The held-out scenes one by one, for whoever looks for the weak ones.
  private var scenesOfOurs: String {
    let own = lines.filter { $0.part == Int(ECHO_HELD_OUT) && $0.row == "ours" }
    return own.reduce("ours, held-out half, scene by scene: echo%, 2s%, recall, estoi\n") {
      let judgement = $1.judgement
      let cells = [
        judgement.echo_speech_pct, judgement.first2s_pct, judgement.recall, judgement.estoi,
      ]
      return $0 + Self.column($1.scene, 24) + cells.map(Self.cell).joined() + "\n"
    }
  }

  private var alone: String {
    let own = lines.filter { $0.part == Int(ECHO_ALONE) || $0.part == Int(ECHO_REAL) }
    return own.reduce("echo alone: echo%, 2s%, false starts\n") {
      let judgement = $1.judgement
      let cells = [judgement.echo_speech_pct, judgement.first2s_pct, judgement.false_starts]
      return $0 + Self.column($1.scene, 20) + Self.column($1.row, 24)
        + cells.map(Self.cell).joined() + "\n"
    }
  }

  private func mean(_ values: [Double]) -> Double {
    values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count)
  }

  private static func column(_ text: String, _ width: Int) -> String {
    let gap = String(repeating: " ", count: max(1, width - text.count))
    return width > 9 ? text + gap : gap + text
  }
}
