import CVoiceDSP
import Foundation
import Testing

@Suite struct ResamplerTests {
  final class Resampler {
    let handle: OpaquePointer

    init(from: Double, to: Double) throws {
      var made: OpaquePointer?
      try #require(vd_resampler_create(&made, from, to) == 0)
      handle = try #require(made)
    }

    deinit { vd_resampler_destroy(handle) }

    func process(_ signal: [Float], block: Int, room: Int = 4_096) -> [Float] {
      var result: [Float] = []
      var position = 0
      var out = [Float](repeating: 0, count: room)
      while position < signal.count {
        let count = min(block, signal.count - position)
        var used = 0
        let made = signal.withUnsafeBufferPointer {
          vd_resampler_process(
            handle, $0.baseAddress! + position, count, &used, &out, out.count)
        }
        guard made > 0 || used > 0 else { break }
        position += used
        result += out.prefix(max(0, made))
      }
      return result
    }
  }

  @Test(arguments: [(48_000.0, 16_000.0), (16_000, 48_000), (24_000, 48_000), (44_100, 48_000)])
  func aToneKeepsItsPitchAndLength(from: Double, to: Double) throws {
    let input = Signal.tone(997, rate: from, count: Int(from))
    let output = try Resampler(from: from, to: to).process(input, block: Int(from / 100))
    #expect(abs(output.count - Int(to)) < Int(to / 100))
    let reference = Signal.tone(997, rate: to, count: Int(to))
    let window = Int(to / 4)..<Int(to * 3 / 4)
    let match = Signal.match(output, to: reference, lags: -64..<64, over: window)
    #expect(match.decibels > 40, "\(match)")
  }

  @Test func whatLiesAboveTheNewBandIsRemoved() throws {
    let output = try Resampler(from: 48_000, to: 16_000)
      .process(Signal.tone(10_000, rate: 48_000, count: 48_000), block: 480)
    let left = 10 * log10(Signal.power(output.dropFirst(800)) / Double(output.count - 800) / 0.125)
    #expect(left < -80, "alias of a 10 kHz tone: \(left) dB")
  }

  @Test func blockSizesDoNotChangeTheResult() throws {
    let input = Signal.voice(seconds: 0.5)
    let whole = try Resampler(from: 48_000, to: 16_000).process(input, block: 480)
    for block in [1, 37, 960] {
      let other = try Resampler(from: 48_000, to: 16_000).process(input, block: block)
      let count = min(whole.count, other.count)
      #expect(abs(whole.count - other.count) < 400)
      let worst = zip(whole.prefix(count), other).map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 1e-5, "block \(block)")
    }
  }

  @Test func aFullOutputLeavesTheRestOfTheInputUnused() throws {
    let input = Signal.voice(seconds: 0.5)
    let wide = try Resampler(from: 16_000, to: 48_000).process(input, block: 160)
    let narrow = try Resampler(from: 16_000, to: 48_000).process(input, block: 160, room: 50)
    let worst = zip(wide, narrow).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-5)
    #expect(abs(wide.count - narrow.count) < 400)
  }

  @Test func theRatioMayFollowAClock() throws {
    let resampler = try Resampler(from: 48_000, to: 48_000)
    vd_resampler_set_ratio(resampler.handle, 1.0005)
    let output = resampler.process(Signal.tone(440, rate: 48_000, count: 480_000), block: 480)
    #expect(abs(output.count - 480_240) < 100)
    vd_resampler_set_ratio(resampler.handle, .nan)
    vd_resampler_set_ratio(resampler.handle, 0)
    #expect(!resampler.process([Float](repeating: 0, count: 4_800), block: 480).isEmpty)
  }

  @Test func resetForgetsTheSignal() throws {
    let resampler = try Resampler(from: 48_000, to: 16_000)
    let first = resampler.process(Signal.voice(seconds: 0.2), block: 480)
    vd_resampler_reset(resampler.handle)
    #expect(resampler.process(Signal.voice(seconds: 0.2), block: 480) == first)
  }

  @Test func impossibleRatesAreRefused() {
    var made: OpaquePointer?
    #expect(vd_resampler_create(&made, 0, 48_000) == -EINVAL)
    #expect(vd_resampler_create(&made, 48_000, .nan) == -EINVAL)
    #expect(vd_resampler_create(&made, 48_000, 100) == -EINVAL)
    #expect(made == nil)
  }
}
