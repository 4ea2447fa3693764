import Glibc
import Testing

@testable import voice

/// Questions and answers made of noise with the envelope of speech, in rooms made of numbers.
struct AcousticTurnTests {
  /// A voice: syllables of filtered noise; ends audibly.
  private static func voice(seconds: Double, seed: UInt64, peak: Double = 0.5) -> [Double] {
    var state = seed
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(Int64(bitPattern: state) >> 11) / Double(1 << 52)
    }
    let count = Int(seconds * 48_000)
    var (low, syllable, level) = (0.0, 0, 1.0)
    return (0..<count).map { index in
      if index >= syllable {
        syllable = index + 4_000 + Int(abs(random()) * 6_000)
        level = index > count - 12_000 ? 1 : abs(random()) < 0.2 ? 0.05 : 0.3 + 0.7 * abs(random())
      }
      low += (random() - low) * 0.2
      return max(-1, min(1, low * 2)) * level * peak
    }
  }

  private struct Air {
    /// Of the question and of the answer at the microphone.
    var gains = (0.4, 0.4)
    var reverberation = 0.2
    var noise = 0.0003
    var start = 61_234
    /// From the question's last audible sample to the answer's first.
    var gap = 24_000
    var answers = true
  }

  private static func samples(_ values: [Double]) -> [Int16] {
    values.map { Int16(max(-32_767, min(32_767, $0 * 32_767))) }
  }

  /// What the microphone hears, and the truth in milliseconds.
  private static func recording(_ question: [Double], _ answer: [Double], _ air: Air)
    -> (samples: [Int16], milliseconds: Double)
  {
    func audible(_ voice: [Double]) -> (first: Int, last: Int) {
      let peak = voice.map(abs).max() ?? 0
      return (
        voice.firstIndex { abs($0) >= peak / 50 } ?? 0,
        voice.lastIndex { abs($0) >= peak / 50 } ?? 0
      )
    }
    let end = air.start + audible(question).last
    let place = end + air.gap - audible(answer).first
    var heard = [Double](repeating: 0, count: place + answer.count + 96_000)
    for (index, value) in question.enumerated() { heard[air.start + index] += value * air.gains.0 }
    if air.answers {
      for (index, value) in answer.enumerated() { heard[place + index] += value * air.gains.1 }
    }
    // Echoes of the walls that fall by 60 dB within the time, 12 a second and denser.
    var wet = heard
    var random: UInt64 = 99
    for path in 1...40 where air.reverberation > 0 {
      random = random &* 6_364_136_223_846_793_005 &+ 1
      let delay = path * Int(air.reverberation * 48_000) / 40 + Int(random >> 58)
      let gain = 0.3 * pow(10, -3 * Double(path) / 40) * (random >> 40 & 1 == 0 ? 1 : -1)
      for index in delay..<heard.count { wet[index] += heard[index - delay] * gain }
    }
    for index in wet.indices {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      wet[index] += Double(Int64(bitPattern: random) >> 11) / Double(1 << 52) * air.noise
    }
    return (samples(wet), Double(air.gap) / 48)
  }

  private static func error(_ air: Air, seed: UInt64) throws -> Double {
    let question = voice(seconds: 1.5, seed: seed)
    let (heard, truth) = recording(question, voice(seconds: 0.8, seed: seed + 1000), air)
    let turn = try AcousticTurn(question: samples(question), recording: heard)
    return turn.milliseconds - truth
  }

  @Test(arguments: 1...4)
  func aDryRoomIsMeasuredToAFewMilliseconds(seed: Int) throws {
    let error = try Self.error(Air(reverberation: 0), seed: UInt64(seed))
    #expect(abs(error) <= 5, "\(error) ms off")
  }

  @Test(arguments: [0.2, 0.5], [7_200, 24_000, 72_000])
  func aRoomThatEchoesIsMeasuredWithin15Milliseconds(reverberation: Double, gap: Int) throws {
    let error = try Self.error(Air(reverberation: reverberation, gap: gap), seed: 7)
    #expect(abs(error) <= 15, "\(error) ms off")
  }

  @Test(arguments: [(0.9, 0.05), (0.05, 0.9), (0.01, 0.2)])
  func itDoesNotMatterHowLoudEitherIs(question: Double, answer: Double) throws {
    let error = try Self.error(
      Air(gains: (question, answer), noise: 0.00005), seed: 11)
    #expect(abs(error) <= 15, "\(error) ms off")
  }

  @Test func silenceAfterTheQuestionIsNoAnswer() {
    let question = Self.voice(seconds: 1.5, seed: 3)
    let (heard, _) = Self.recording(
      question, Self.voice(seconds: 0.8, seed: 4), Air(answers: false))
    #expect(throws: AcousticTurn.Unmeasured.noAnswer) {
      try AcousticTurn(question: Self.samples(question), recording: heard)
    }
  }

  @Test func anotherQuestionIsNotTakenForThisOne() {
    let (heard, _) = Self.recording(
      Self.voice(seconds: 1.5, seed: 3), Self.voice(seconds: 0.8, seed: 4), Air())
    let error = #expect(throws: AcousticTurn.Unmeasured.self) {
      try AcousticTurn(
        question: Self.samples(Self.voice(seconds: 1.5, seed: 5)), recording: heard)
    }
    guard case .questionNotHeard(let likeness)? = error else { return #expect(error == nil) }
    #expect(likeness < 0.5)
  }
}
