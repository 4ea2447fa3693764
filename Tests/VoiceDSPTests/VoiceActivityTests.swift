import CVoiceDSP
import Foundation
import Testing

@Suite struct VoiceActivityTests {
  static let window = Int(VD_VAD_WINDOW_SAMPLES)

  /// A detector with the real weights, or by energy.
  final class Detector {
    let handle: OpaquePointer
    private let weights: OpaquePointer?

    init(energy: Bool = false) throws {
      weights = energy ? nil : try Detector.load(SileroFixture.weightsPath).get()
      var made: OpaquePointer?
      try #require(vd_vad_create(&made, weights) == 0)
      handle = try #require(made)
    }

    deinit {
      vd_vad_destroy(handle)
      vd_vad_weights_release(weights)
    }

    func process(_ signal: [Float]) -> [Float] {
      stride(from: 0, through: signal.count - window, by: window).map { start in
        signal.withUnsafeBufferPointer { vd_vad_process(handle, $0.baseAddress! + start) }
      }
    }

    struct LoadError: Error {
      let code: Int32
      let sentence: String
    }

    static func load(_ path: String) -> Result<OpaquePointer, LoadError> {
      var weights: OpaquePointer?
      var sentence = [CChar](repeating: 0, count: 512)
      let code = vd_vad_weights_load(&weights, path, &sentence, sentence.count)
      let text = String(
        decoding: sentence.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard code == 0, let weights else {
        return .failure(LoadError(code: code, sentence: text))
      }
      return .success(weights)
    }
  }

  @Test func equalsTheReferenceOnSpeechSilenceAndNoise() throws {
    let expected = try SileroFixture.probabilities()
    let got = try Detector().process(try SileroFixture.samples())
    #expect(got.count == expected.count)
    let deviation = zip(got, expected).map { abs($0 - $1) }.max() ?? 1
    #expect(deviation < 1e-4, "greatest deviation \(deviation)")
    #expect(expected.filter { $0 > 0.5 }.count > 60, "the fixture holds speech")
    #expect(expected.suffix(62).allSatisfy { $0 < 0.5 }, "and ends with silence and noise")
  }

  @Test func resetForgetsTheStream() throws {
    let speech = try SileroFixture.samples()
    let detector = try Detector()
    let first = detector.process(speech)
    let continued = detector.process(speech)
    vd_vad_reset(detector.handle)
    let isRepeated = detector.process(speech) == first
    #expect(isRepeated)
    #expect(continued != first, "the control: without the reset the past counts")
  }

  @Test func detectorsThatShareWeightsDoNotShareState() throws {
    let speech = try SileroFixture.samples()
    let one = try Detector()
    let alone = one.process(speech)
    vd_vad_reset(one.handle)
    let other = try Detector(energy: true)
    _ = other.process(speech)
    #expect(one.process(speech) == alone)
  }

  @Test(arguments: [Float.nan, .infinity, 1e30])
  func aSampleThatIsNoSignalIsForgotten(sample: Float) throws {
    let speech = try SileroFixture.samples()
    let detector = try Detector()
    let clean = detector.process(speech)
    vd_vad_reset(detector.handle)
    #expect(detector.process([Float](repeating: sample, count: Self.window)) == [0])
    let isTheSame = detector.process(speech) == clean
    #expect(isTheSame)
  }

  @Test func missingWeightsAreNamedWithWhatToDo() {
    guard case .failure(let error) = Detector.load("/nonexistent/silero.safetensors") else {
      Issue.record("a file that does not exist was loaded")
      return
    }
    #expect(error.code == -ENOENT)
    #expect(error.sentence.contains("/nonexistent/silero.safetensors"))
    #expect(error.sentence.contains("make setup"))
  }

  @Test(arguments: [
    "empty", "truncated", "no safetensors", "tensor renamed", "offsets beyond the end",
  ])
  func damagedWeightsAreRefusedWithASentence(damage: String) throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: SileroFixture.weightsPath))
    let damaged: Data
    switch damage {
    case "empty": damaged = Data()
    case "truncated": damaged = whole.prefix(whole.count / 2)
    case "no safetensors": damaged = Data(repeating: 0x50, count: 4_096)
    default:
      let (from, to) =
        damage == "tensor renamed" ? ("conv3.bias", "conv9.bias") : ("1238532]", "9238532]")
      var copy = whole
      copy.replaceSubrange(try #require(copy.range(of: Data(from.utf8))), with: Data(to.utf8))
      damaged = copy
    }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("damaged-\(UUID().uuidString).safetensors")
    try damaged.write(to: file)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) }
    }
    guard case .failure(let error) = Detector.load(file.path) else {
      Issue.record("a damaged file was loaded: \(damage)")
      return
    }
    #expect(error.code == -EINVAL)
    #expect(error.sentence.contains(file.path) && error.sentence.contains("make setup"))
  }

  @Test func energyStandsInWithoutWeights() throws {
    let detector = try Detector(energy: true)
    let quiet = detector.process(Signal.noise(count: 64_000, amplitude: 0.003, seed: 1))
    #expect(quiet.dropFirst(2).allSatisfy { $0 < 0.35 })
    let speech = detector.process(try SileroFixture.samples()).prefix(90)
    #expect(speech.filter { $0 > 0.5 }.count > 40, "most windows of speech count as speech")
    let silence = detector.process([Float](repeating: 0, count: 32_000))
    #expect(silence.allSatisfy { $0 == 0 })
  }

  @Test func energyGetsUsedToALoudFan() throws {
    let detector = try Detector(energy: true)
    _ = detector.process(Signal.noise(count: 32_000, amplitude: 0.002, seed: 2))
    let fan = detector.process(Signal.noise(count: 16_000 * 40, amplitude: 0.1, seed: 3))
    #expect(fan[3] > 0.5, "a sudden noise may be speech")
    #expect(fan.suffix(60).allSatisfy { $0 < 0.35 }, "a lasting one is not")
  }
}
