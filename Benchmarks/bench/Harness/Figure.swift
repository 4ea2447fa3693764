/// One measured figure, printed as one JSON object a line.
struct Figure: Encodable, Sendable {
  enum Better: String, Encodable, Sendable {
    case lower
    case higher
  }

  var name: String
  /// The median over the runs; nil when it could not be measured, and ``why`` says so.
  var value: Double?
  var unit: String
  var min: Double?
  var max: Double?
  var n: Int
  /// What ran beside it in the same run.
  var reference: String?
  var referenceValue: Double?
  var ratio: Double?
  var bar: Double?
  var better: Better?
  var why: String?

  enum CodingKeys: String, CodingKey {
    case name, value, unit, min, max, n, reference, ratio, bar, better, why
    case referenceValue = "reference_value"
  }

  /// A figure of one or more runs.
  init(_ name: String, _ runs: [Double], unit: String, bar: Double? = nil, better: Better? = nil) {
    self.name = name
    value = median(runs)
    self.unit = unit
    min = runs.min()
    max = runs.max()
    n = runs.count
    self.bar = bar
    self.better = better
  }

  /// A figure that could not be measured.
  init(_ name: String, unit: String, why: String) {
    self.init(name, [], unit: unit)
    self.why = why
  }

  /// A missing value is printed as null, other missing fields are left out.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(name, forKey: .name)
    try fields.encode(value, forKey: .value)
    try fields.encode(unit, forKey: .unit)
    try fields.encodeIfPresent(min, forKey: .min)
    try fields.encodeIfPresent(max, forKey: .max)
    try fields.encode(n, forKey: .n)
    try fields.encodeIfPresent(reference, forKey: .reference)
    try fields.encodeIfPresent(referenceValue, forKey: .referenceValue)
    try fields.encodeIfPresent(ratio, forKey: .ratio)
    try fields.encodeIfPresent(bar, forKey: .bar)
    try fields.encodeIfPresent(better, forKey: .better)
    try fields.encodeIfPresent(why, forKey: .why)
  }

  /// Names what ran beside it.
  func beside(_ reference: String, _ runs: [Double], ratio: Double? = nil) -> Figure {
    var figure = self
    figure.reference = reference
    figure.referenceValue = median(runs)
    figure.ratio = ratio
    return figure
  }

  /// Whether the bar holds; nil without a bar or without a value.
  var holds: Bool? {
    guard let value, let bar else { return nil }
    return better == .higher ? value >= bar : value <= bar
  }
}

/// The middle of the runs, or of the middle two.
func median(_ runs: [Double]) -> Double? {
  let sorted = runs.sorted()
  guard !sorted.isEmpty else { return nil }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
