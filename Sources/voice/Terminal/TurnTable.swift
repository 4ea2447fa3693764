/// The turns of a run as a table, with the median of each time in the last row.
enum TurnTable {
  /// - Parameter width: of the terminal, in characters.
  static func text(_ turns: [TurnReport], width: Int) -> String {
    guard !turns.isEmpty else { return "No turn was taken." }
    let head = ["#", "endpoint", "stt", "token", "byte", "v2v", "question → answer"]
    var rows = turns.enumerated().map { index, turn in
      ["\(index + 1)"] + times(of: turn).map { cell($0) } + [
        "\(turn.question) → \(turn.answer)"
      ]
    }
    let columns = turns.map { times(of: $0) }
    let medians = (0..<5).map { column in
      cell(median(columns.compactMap { $0[column] }))
    }
    rows.append(["p50"] + medians + ["milliseconds"])
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    return ([head] + rows).map { row in
      zip(row, widths).enumerated().map { column, pair in
        let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
        return column == head.count - 1 ? pair.0 : space + pair.0
      }.joined(separator: "  ")
    }.map {
      TerminalWidth.clip($0, width)
    }.joined(separator: "\n")
  }

  /// The median; nil of nothing.
  static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  private static func times(of turn: TurnReport) -> [Double?] {
    [
      turn.endpoint, turn.speechToText, turn.firstToken, turn.timeToFirstByte, turn.voiceToVoice,
    ]
  }

  private static func cell(_ value: Double?) -> String {
    value.map { "\(Int($0.rounded()))" } ?? "-"
  }
}
