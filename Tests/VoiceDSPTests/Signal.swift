import Foundation

/// Signals and measures the tests share.
enum Signal {
  static func tone(_ hertz: Double, rate: Double, count: Int, amplitude: Double = 0.5) -> [Float] {
    (0..<count).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / rate)) }
  }

  static func noise(count: Int, amplitude: Float, seed: UInt64) -> [Float] {
    var generator = SplitMix(seed: seed)
    return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &generator) }
  }

  /// A voice-like signal at 48 kHz: a gliding harmonic series with syllables and pauses.
  static func voice(seconds: Double, rate: Double = 48_000) -> [Float] {
    var phase = 0.0
    return (0..<Int(seconds * rate)).map { index in
      let time = Double(index) / rate
      phase += 2 * .pi * (140 + 30 * sin(2 * .pi * 0.9 * time)) / rate
      let syllable = max(0, sin(2 * .pi * 2.7 * time))
      let harmonics = (1...14).reduce(0.0) { sum, harmonic in
        let formant = 1 / (1 + pow((Double(harmonic) * 140 - 650 - 300 * sin(7 * time)) / 350, 2))
        return sum + formant * sin(Double(harmonic) * phase)
      }
      return Float(0.2 * syllable * harmonics)
    }
  }

  static func power(_ signal: some Sequence<Float>) -> Double {
    signal.reduce(0) { $0 + Double($1) * Double($1) }
  }

  /// Signal-to-error ratio in dB of `other` against `reference` at the best lag in `lags`.
  static func match(
    _ other: [Float], to reference: [Float], lags: Range<Int>, over window: Range<Int>
  ) -> (decibels: Double, lag: Int) {
    var best = (decibels: -Double.infinity, lag: 0)
    for lag in lags {
      var wanted = 0.0
      var error = 0.0
      for index in window where other.indices.contains(index + lag) {
        let value = Double(reference[index])
        wanted += value * value
        error += pow(value - Double(other[index + lag]), 2)
      }
      let decibels = 10 * log10(wanted / max(error, 1e-20))
      if decibels > best.decibels { best = (decibels, lag) }
    }
    return best
  }

  /// Cosine of the angle between two signals.
  static func correlation(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Double {
    let product = zip(one, other).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    return product / max((power(one) * power(other)).squareRoot(), 1e-20)
  }
}
