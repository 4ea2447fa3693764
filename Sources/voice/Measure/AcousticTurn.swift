/// A spoken question and the answer to it, found in a recording of the air between two devices.
///
/// Everything is counted in the recording's own samples: no clock of either device is asked. Audible
/// is what is at most 34 dB below the loudest sample of the same voice, and 12 dB above the noise:
/// with speech at the usual level that is the -40 dBFS that the benches use, at any distance.
struct AcousticTurn: Equatable {
  /// Why there is nothing to measure.
  enum Unmeasured: Error, Equatable {
    /// The recording does not hold the question; the likeness that was found, 0 to 1.
    case questionNotHeard(Double)
    /// Nothing was said after the question.
    case noAnswer
  }

  /// Rate of both recordings, in Hz.
  static let rate = 48_000
  /// Below it, what was found is not the question.
  static let leastLikeness = 0.5
  /// How long the question's echoes may take to fall out of hearing; an answer is not that quick.
  static let settling = rate / 20

  /// Samples of the recording.
  var questionStart: Int
  var lastVoiced: Int
  var answerStart: Int
  /// How like the question what was heard is, 0 to 1.
  var likeness: Double

  /// Voice-to-voice time.
  var milliseconds: Double { Double(answerStart - lastVoiced) * 1000 / Double(Self.rate) }

  /// - Parameters:
  ///   - question: what was played, mono at 48 kHz.
  ///   - recording: what a microphone heard, mono at 48 kHz.
  ///   - earliest: sample of the recording before which the question cannot begin.
  init(question: [Int16], recording: [Int16], earliest: Int = 0) throws(Unmeasured) {
    let (start, likeness) = Alignment.find(question, in: recording, from: earliest)
    guard let start, likeness >= Self.leastLikeness else { throw .questionNotHeard(likeness) }
    let questionPeak = question.lazy.map { abs(Int($0)) }.max() ?? 0
    let lastOfFile = question.lastIndex { abs(Int($0)) * 50 >= questionPeak } ?? 0
    questionStart = start
    lastVoiced = start + lastOfFile
    self.likeness = likeness
    let noise = Self.noise(recording, before: start)
    guard
      let answer = Self.onset(
        in: recording, from: min(recording.count, lastVoiced + Self.settling), noise: noise)
    else { throw .noAnswer }
    answerStart = answer
  }

  /// Root mean square of what was there before the question; of everything's quietest tenth, where
  /// the question came at once.
  private static func noise(_ recording: [Int16], before start: Int) -> Double {
    let before = Envelope(
      Array(recording[..<max(0, min(start, recording.count))]), step: rate / 100)
    if before.values.count >= 10 {
      return before.values.sorted()[before.values.count / 2]
    }
    let all = Envelope(recording, step: rate / 100).values.sorted()
    return all.isEmpty ? 0 : all[all.count / 10]
  }

  /// The first audible sample of what begins after `from`: it rises out of what was there, and lasts.
  private static func onset(in recording: [Int16], from: Int, noise: Double) -> Int? {
    let step = rate / 200
    let threshold = max(noise * 4, 8)
    let (back, ahead) = (8, 8)
    // What it rises out of lies before.
    let from = max(0, from - back * step)
    let levels = Envelope(Array(recording[from...]), step: step).values
    let found = levels.indices.dropFirst(back).first { index in
      guard index + ahead <= levels.count, levels[index] >= threshold else { return false }
      let before = levels[index - back..<index].min() ?? 0
      let after = levels[index..<index + ahead]
      let mean = after.reduce(0, +) / Double(ahead)
      // The tail of the question falls; a voice begins.
      return levels[index] >= before * 2.8 && mean >= max(threshold, before * 2.8)
    }
    guard let found else { return nil }
    let begin = from + max(0, found - 1) * step
    let reach = recording[begin..<min(recording.count, begin + 2 * rate)]
    let peak = reach.lazy.map { abs(Int($0)) }.max() ?? 0
    let audible = max(peak / 50, Int(noise * 4))
    return reach.firstIndex { abs(Int($0)) >= audible }
  }
}

/// Root mean squares of pieces of a recording.
struct Envelope {
  private(set) var values: [Double] = []

  /// - Parameter step: samples of each piece.
  init(_ samples: [Int16], step: Int) {
    values.reserveCapacity(samples.count / step)
    for start in stride(from: 0, to: samples.count - step + 1, by: step) {
      var sum = 0
      for sample in samples[start..<start + step] { sum += Int(sample) * Int(sample) }
      values.append((Double(sum) / Double(step)).squareRoot())
    }
  }
}
