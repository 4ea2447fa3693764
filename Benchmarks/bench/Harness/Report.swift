import Foundation

/// How figures are told: JSON lines for machines, a table for people, a page for the checkout.
enum Report {
  /// The page `bench all` writes, from the checkout's root.
  static let path = "Benchmarks/RESULTS.md"

  static func printLines(_ figures: [Figure]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    for figure in figures {
      print(String(decoding: try encoder.encode(figure), as: UTF8.self))
    }
  }

  static func printTable(_ figures: [Figure], of bench: String) {
    var text = "\(bench)\n"
    for figure in figures { text += "  " + row(figure).joined(separator: "  ") + "\n" }
    FileHandle.standardError.write(Data(text.utf8))
  }

  static func writePage(_ results: [(bench: String, figures: [Figure])]) throws {
    var text = "# Results\n\n\(Machine.line)\n\n"
    text += "Commit \(Machine.commit), \(ISO8601DateFormatter().string(from: Date())).\n\n"
    text +=
      "| bench | figure | value | runs | beside | bar | verdict |\n|---|---|---|---|---|---|---|\n"
    for (bench, figures) in results {
      for figure in figures {
        text += "| \(bench) | " + row(figure).joined(separator: " | ") + " |\n"
      }
    }
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Name, value, range, reference, bar, verdict.
  private static func row(_ figure: Figure) -> [String] {
    guard let value = figure.value else {
      return [figure.name, "not measured: \(figure.why ?? "")", "", "", "", ""]
    }
    let range = "\(number(figure.min)) to \(number(figure.max)), n \(figure.n)"
    let beside = figure.reference.map { "\($0): \(number(figure.referenceValue))" } ?? ""
    let bar = figure.bar.map { (figure.better == .higher ? ">= " : "<= ") + number($0) } ?? ""
    let verdict = figure.holds.map { $0 ? "holds" : "**missed**" } ?? ""
    return [figure.name, "\(number(value)) \(figure.unit)", range, beside, bar, verdict]
  }

  private static func number(_ value: Double?) -> String {
    guard let value else { return "-" }
    return abs(value) >= 1000 || value == value.rounded()
      ? String(format: "%.0f", value) : String(format: "%.4g", value)
  }
}
