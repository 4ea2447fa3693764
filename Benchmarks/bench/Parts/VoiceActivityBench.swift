import CVoiceDSP
import Foundation

/// The speech detector: how far from the reference, and what it costs.
struct VoiceActivityBench: Bench {
  let name = "vad"
  let summary = "deviation of the speech detector from Silero's own, and its CPU"

  /// A recording and what the original network said of it; kept with the detector's tests.
  private static let resources = "Tests/VoiceDSPTests/Resources"

  func run(_ options: BenchOptions) async throws -> [Figure] {
    var weights: OpaquePointer?
    var error = [CChar](repeating: 0, count: 256)
    guard vd_vad_weights_load(&weights, Places.vadWeights, &error, error.count) == 0 else {
      let sentence = String(
        decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return [
        Figure("vad_max_deviation", unit: "probability", why: sentence),
        Figure("vad_cpu_ms_per_s", unit: "ms", why: sentence),
      ]
    }
    defer { vd_vad_weights_release(weights) }
    let samples = try readWave("\(Self.resources)/silero-reference.wav")
    let expected = try JSONDecoder().decode(
      [Float].self,
      from: Data(contentsOf: URL(fileURLWithPath: "\(Self.resources)/silero-reference.json")))
    var deviation = 0.0
    var costs: [Double] = []
    for _ in 0..<(options.isQuick ? 5 : 15) {
      let (probabilities, seconds) = try judge(samples, weights: weights)
      guard probabilities.count == expected.count else {
        throw BenchFailure(
          "\(probabilities.count) windows, but the reference has \(expected.count).")
      }
      deviation = zip(probabilities, expected).map { Double(abs($0 - $1)) }.max() ?? .infinity
      costs.append(seconds * 1_000 / (Double(samples.count) / 16_000))
    }
    return [
      Figure("vad_max_deviation", [deviation], unit: "probability", bar: 1e-4, better: .lower),
      Figure("vad_cpu_ms_per_s", costs, unit: "ms", bar: 1, better: .lower),
    ]
  }

  private func judge(_ samples: [Float], weights: OpaquePointer?) throws -> ([Float], Double) {
    var vad: OpaquePointer?
    guard vd_vad_create(&vad, weights) == 0 else {
      throw BenchFailure("No detector could be made.")
    }
    defer { vd_vad_destroy(vad) }
    let window = Int(VD_VAD_WINDOW_SAMPLES)
    return samples.withUnsafeBufferPointer { samples in
      let begun = Machine.threadSeconds
      let probabilities = stride(from: 0, through: samples.count - window, by: window).map {
        vd_vad_process(vad, samples.baseAddress! + $0)
      }
      return (probabilities, Machine.threadSeconds - begun)
    }
  }
}
