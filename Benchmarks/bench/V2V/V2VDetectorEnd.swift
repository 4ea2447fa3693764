import CVoiceDSP
import Foundation

/// How long after the labelled end of a clip the speech detector still hears speech.
///
/// The label is where the clip falls 40 dB below its loudest; a voice trails off, and a detector
/// window is 32 ms. A turn's times count from the detector's end, the bench's from the label.
struct V2VDetectorEnd {
  private static let window = Int(VD_VAD_WINDOW_SAMPLES)
  /// Probability of a voiced window, as the router's endpoint detector has it.
  private static let voiced: Float = 0.5

  private let weights: OpaquePointer?

  init(weights: OpaquePointer?) {
    self.weights = weights
  }

  /// Milliseconds from the label to the end of the last voiced window, over all places a window
  /// may begin in steps of 8 ms: the call does not begin with the clip.
  func milliseconds(clip: String, label: Int) throws -> Double {
    let speech = try Self.thirdOfTheRate(readWave(clip))
    let ends = try (0..<4).map { phase in
      try lastVoiced(Array(repeating: 0, count: phase * 128) + speech) - phase * 128
    }
    return Double(ends.reduce(0, +)) / Double(ends.count) / 16 - Double(label) / 48
  }

  private func lastVoiced(_ samples: [Float]) throws -> Int {
    var vad: OpaquePointer?
    guard vd_vad_create(&vad, weights) == 0 else {
      throw BenchFailure("No detector could be made.")
    }
    defer { vd_vad_destroy(vad) }
    // The silence that ends a turn follows the clip.
    let padded = samples + [Float](repeating: 0, count: 8_000)
    var last = 0
    padded.withUnsafeBufferPointer { samples in
      for start in stride(from: 0, through: samples.count - Self.window, by: Self.window)
      where vd_vad_process(vad, samples.baseAddress! + start) >= Self.voiced {
        last = start + Self.window
      }
    }
    return last
  }

  private static func thirdOfTheRate(_ samples: [Float]) throws -> [Float] {
    var resampler: OpaquePointer?
    guard vd_resampler_create(&resampler, 48_000, 16_000) == 0 else {
      throw BenchFailure("No resampler could be made.")
    }
    defer { vd_resampler_destroy(resampler) }
    var output = [Float](repeating: 0, count: samples.count / 3)
    var (read, written) = (0, 0)
    while read < samples.count, written < output.count {
      var used = 0
      let made = samples[read...].withUnsafeBufferPointer { input in
        output[written...].withUnsafeMutableBufferPointer {
          vd_resampler_process(
            resampler, input.baseAddress, input.count, &used, $0.baseAddress, $0.count)
        }
      }
      guard made >= 0 else { throw BenchFailure("The resampler refused a clip (\(made)).") }
      if made == 0, used == 0 { break }
      read += used
      written += made
    }
    return Array(output[..<written])
  }
}
