import Foundation
import Simulation

/// From the device's decision that somebody speaks over the agent until it has taken effect everywhere.
struct TimeToCut: TurnsPart {
  /// Who cannot be heard cannot interrupt.
  let control = "gate=on"

  /// One way, in ms: this machine, a home, a telephone network.
  private static let latencies = [0, 20, 100]
  private static let allowance = 30.0

  func run(isQuick: Bool, isControl: Bool) throws -> [Figure] {
    var (silence, stopped, told): ([Double], [Double], [Double]) = ([], [], [])
    var uncut = 0
    for latency in Self.latencies {
      for seed in 1...(isQuick ? 4 : 30) {
        do {
          let cut = try CutTiming.measure(
            seed: UInt64(seed), latency: .milliseconds(latency), isHalfDuplex: isControl)
          let roundTrip = Double(2 * latency)
          silence.append(cut.silence)
          stopped.append(cut.modelStopped - roundTrip)
          told.append(cut.told - roundTrip)
        } catch let none as CutTiming.NoCut {
          uncut += 1
          if !isControl { FileHandle.standardError.write(Data("\(none)\n".utf8)) }
        }
      }
    }
    return [
      .count("cuts_not_made", uncut, of: uncut + told.count),
      .atMost("cut_silence_p95_ms", silence, bar: Self.allowance),
      .atMost("cut_model_over_round_trip_p95_ms", stopped, bar: Self.allowance),
      .atMost("cut_history_over_round_trip_p95_ms", told, bar: Self.allowance),
    ]
  }
}
