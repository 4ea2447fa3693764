/// One question and its answer, as recorded and as reported.
struct V2VTurn: Sendable {
  /// From the labelled last voiced sample to the first sample over -40 dBFS at the speaker, in ms.
  var recorded: Double
  /// `v2v_ms` of the turn.
  var reported: Double
  /// From the label to where the detector's speech ends, in ms; see ``V2VDetectorEnd``.
  var detectorOffset: Double
  /// All timings of the turn.
  var milliseconds: [String: Double]

  /// One timing; nil when the turn did not measure it.
  func leg(_ name: String) -> Double? { milliseconds[name] }

  /// What lies between two timings that count from the same moment.
  func span(_ start: String, _ end: String) -> Double? {
    guard let start = milliseconds[start], let end = milliseconds[end] else { return nil }
    return end - start
  }
}
