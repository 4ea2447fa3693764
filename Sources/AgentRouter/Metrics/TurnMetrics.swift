import Synchronization

/// What a router has counted of its turns, for Prometheus: how many and how they ended, and
/// histograms of the legs of a turn. Any thread.
public final class TurnMetrics: Sendable {
  /// Upper bounds of the histograms' buckets, in milliseconds.
  static let bounds: [Double] = [25, 50, 100, 200, 300, 400, 530, 700, 900, 1_300, 2_000, 4_000]
  /// Fields of a `turn` frame that are counted; names as on the wire.
  static let legs = [
    "endpoint_ms", "stt_final_ms", "llm_ttft_ms", "time_to_first_byte_ms", "v2v_ms",
  ]

  private struct Histogram {
    var counts = [Int](repeating: 0, count: TurnMetrics.bounds.count)
    var sum = 0.0
    var count = 0

    mutating func take(_ value: Double) {
      count += 1
      sum += value
      for (place, bound) in TurnMetrics.bounds.enumerated() where value <= bound {
        counts[place] += 1
      }
    }
  }

  private struct State {
    var histograms: [String: Histogram] = [:]
    var turns: [String: Int] = [:]
    var counters: [String: Int] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  /// A turn is over.
  ///
  /// - Parameters:
  ///   - outcome: `completed`, `failed` or `cancelled`.
  ///   - milliseconds: its measured legs.
  func ended(_ outcome: String, milliseconds: [String: Double]) {
    state.withLock { state in
      state.turns[outcome, default: 0] += 1
      for leg in Self.legs {
        if let value = milliseconds[leg] { state.histograms[leg, default: Histogram()].take(value) }
      }
    }
  }

  /// Counts one more of `name`, such as `fillers`.
  func count(_ name: String) {
    state.withLock { $0.counters[name, default: 0] += 1 }
  }

  /// The text Prometheus reads (exposition format 0.0.4).
  var text: String {
    state.withLock { state in
      var lines = ["# TYPE voice_turns_total counter"]
      for (outcome, count) in state.turns.sorted(by: { $0.key < $1.key }) {
        lines.append("voice_turns_total{outcome=\"\(outcome)\"} \(count)")
      }
      for (name, count) in state.counters.sorted(by: { $0.key < $1.key }) {
        lines += ["# TYPE voice_\(name)_total counter", "voice_\(name)_total \(count)"]
      }
      for (leg, histogram) in state.histograms.sorted(by: { $0.key < $1.key }) {
        let name = "voice_turn_\(leg.dropLast(3))_milliseconds"
        lines.append("# TYPE \(name) histogram")
        for (bound, count) in zip(Self.bounds, histogram.counts) {
          lines.append("\(name)_bucket{le=\"\(Int(bound))\"} \(count)")
        }
        lines.append("\(name)_bucket{le=\"+Inf\"} \(histogram.count)")
        lines.append("\(name)_sum \(histogram.sum)")
        lines.append("\(name)_count \(histogram.count)")
      }
      return lines.joined(separator: "\n") + "\n"
    }
  }
}
