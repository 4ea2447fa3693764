/// Finds where one recording lies in another, however loud it is there.
enum Alignment {
  /// Envelopes are compared in steps of 2 ms, waveforms then sample by sample at 8 kHz.
  private static let (coarse, fine) = (AcousticTurn.rate / 500, 6)
  /// Around the coarse place, in samples at 8 kHz: 30 ms.
  private static let reach = 240
  /// Of the waveform, 2 s at 8 kHz are compared.
  private static let compared = 16_000

  /// - Returns: the sample of `recording` at which `part` begins, nil when it is too short; and the
  ///   correlation of the envelopes there, 0 to 1.
  static func find(_ part: [Int16], in recording: [Int16], from earliest: Int)
    -> (start: Int?, likeness: Double)
  {
    let small = Envelope(part, step: coarse).values
    let large = Envelope(recording, step: coarse).values
    guard small.count >= 50, large.count > small.count else { return (nil, 0) }
    var best = (place: 0, likeness: -1.0)
    for place in min(earliest / coarse, large.count - small.count)...(large.count - small.count) {
      let likeness = correlation(small, large, place)
      if likeness > best.likeness { best = (place, likeness) }
    }
    let start = refined(part, recording, near: best.place * coarse)
    return (start, max(0, best.likeness))
  }

  /// Pearson's coefficient of `small` and the stretch of `large` that begins at `place`.
  private static func correlation(_ small: [Double], _ large: [Double], _ place: Int) -> Double {
    let count = Double(small.count)
    var (sumA, sumB, sumAA, sumBB, sumAB) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in small.indices {
      let (a, b) = (small[index], large[place + index])
      sumA += a
      sumB += b
      sumAA += a * a
      sumBB += b * b
      sumAB += a * b
    }
    let spread =
      ((sumAA - sumA * sumA / count) * (sumBB - sumB * sumB / count)).squareRoot()
    return spread > 0 ? (sumAB - sumA * sumB / count) / spread : 0
  }

  /// The place where the waveforms agree most: the direct sound, not its echoes.
  private static func refined(_ part: [Int16], _ recording: [Int16], near place: Int) -> Int {
    let offset = loudestStretch(part)
    let a = thinned(part[offset..<min(part.count, offset + compared * fine)])
    let from = place + offset - reach * fine
    let until = from + (a.count + 2 * reach) * fine
    guard from >= 0, until <= recording.count, !a.isEmpty else { return place }
    let b = thinned(recording[from..<until])
    var best = (lag: reach, product: -1.0)
    for lag in 0...(b.count - a.count) {
      var product = 0.0
      for index in a.indices { product += a[index] * b[lag + index] }
      // A wire or an amplifier may turn the phase.
      if abs(product) > best.product { best = (lag, abs(product)) }
    }
    return place + (best.lag - reach) * fine
  }

  /// Where the loudest 2 s begin.
  private static func loudestStretch(_ samples: [Int16]) -> Int {
    let window = compared * fine
    guard samples.count > window else { return 0 }
    let energies = Envelope(samples, step: AcousticTurn.rate / 10).values.map { $0 * $0 }
    let length = window / (AcousticTurn.rate / 10)
    let best = (0...(energies.count - length)).max { first, second in
      energies[first..<first + length].reduce(0, +)
        < energies[second..<second + length].reduce(0, +)
    }
    return (best ?? 0) * (AcousticTurn.rate / 10)
  }

  /// The mean of each six samples: 8 kHz.
  private static func thinned(_ samples: ArraySlice<Int16>) -> [Double] {
    stride(from: samples.startIndex, to: samples.endIndex - fine + 1, by: fine).map { start in
      Double(samples[start..<start + fine].reduce(0) { $0 + Int($1) }) / Double(fine)
    }
  }
}
