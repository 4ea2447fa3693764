/// One question that the bench of the turns asks.
protocol TurnsPart: Sendable {
  /// The switch with which it must miss a bar.
  var control: String { get }
  /// - Parameter isControl: whether the switch is in force.
  func run(isQuick: Bool, isControl: Bool) throws -> [Figure]
}

/// The smallest value that at least 95 % of the runs do not exceed.
func percentile95(_ runs: [Double]) -> Double? {
  let sorted = runs.sorted()
  guard !sorted.isEmpty else { return nil }
  return sorted[Int((Double(sorted.count) * 0.95).rounded(.up)) - 1]
}

extension Figure {
  /// A figure whose value is the 95th percentile of its runs.
  static func atMost(_ name: String, _ runs: [Double], unit: String = "ms", bar: Double? = nil)
    -> Figure
  {
    var figure = Figure(name, runs, unit: unit, bar: bar, better: .lower)
    figure.value = percentile95(runs)
    return figure
  }

  /// A count of `n` things.
  static func count(_ name: String, _ count: Int, of n: Int, bar: Double? = 0) -> Figure {
    var figure = Figure(name, [Double(count)], unit: "count", bar: bar, better: .lower)
    figure.n = n
    return figure
  }
}
