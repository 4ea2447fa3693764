import CVoiceCore
import CVoiceDSP
import Testing

@Suite struct UplinkTests {
  @Test func timestampsAndSequencesAreContinuousFromZero() throws {
    let core = try SteppedCore()
    core.run(near: syntheticSpeech(seconds: 2, seed: 1))
    #expect(core.uplink.count >= 97)
    #expect(core.uplink.map(\.timestamp) == core.uplink.indices.map { UInt32($0 * 960) })
    #expect(core.uplink.map(\.sequence) == core.uplink.indices.map { UInt32($0) })
  }

  @Test(arguments: [(0, 0), (1, 0), (0, 1), (1, 1)])
  func timestampsNameTheCaptureFrameOfTheDecodedSound(canceller: UInt8, noise: UInt8) throws {
    let core = try SteppedCore {
      $0.cancels_echo = canceller
      $0.suppresses_noise = noise
    }
    let speech = syntheticSpeech(seconds: 1.5, seed: 4)
    core.run(near: speech)
    let lag = bestLag(of: try decoded(core.uplink), behind: speech, within: -96...96)
    #expect(abs(lag) <= 24, "the decoded sound lags by \(lag) frames")
  }

  @Test func lostCaptureTimeBecomesSilenceAndTheTimelineGoesOn() throws {
    let core = try SteppedCore()
    core.run(near: syntheticSpeech(seconds: 0.5, seed: 1))
    core.loseFrames(2_500)
    core.run(near: syntheticSpeech(seconds: 0.5, seed: 1))
    #expect(core.uplink.map(\.timestamp) == core.uplink.indices.map { UInt32($0 * 960) })
    #expect(core.uplink.count * 960 >= core.captureFrames - 2_400)
    #expect(core.counters.capture_gaps == 1)
  }

  @Test func aLongHoleIsAJumpOfTheTimestamps() throws {
    let core = try SteppedCore()
    core.run(blocks: 50)
    core.loseFrames(480_000)
    core.run(blocks: 50)
    let jumps = zip(core.uplink, core.uplink.dropFirst()).filter {
      $1.timestamp - $0.timestamp != 960
    }
    #expect(jumps.count == 1)
    #expect(core.uplink.count < 130)
    let last = try #require(core.uplink.last)
    #expect(core.captureFrames - Int(last.timestamp) < 3_000)
  }
}
