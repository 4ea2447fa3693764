import CVoiceCore
import CVoiceDSP
import Testing

@Suite struct UplinkTests {
  @Test func timestampsAndSequencesAreContinuousFromTheFirstBlock() throws {
    let core = try SteppedCore()
    core.run(near: syntheticSpeech(seconds: 2, seed: 1))
    #expect(core.uplink.count >= 97)
    let first = try #require(core.uplink.first?.timestamp)
    #expect(first < 480)
    #expect(core.uplink.map(\.timestamp) == core.uplink.indices.map { first + UInt32($0 * 960) })
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
    let first = try #require(core.uplink.first?.timestamp)
    let sound = [Float](repeating: 0, count: Int(first)) + (try decoded(core.uplink))
    let lag = bestLag(of: sound, behind: speech, within: -96...96)
    #expect(abs(lag) <= 24, "the decoded sound lags by \(lag) frames")
  }

  @Test func lostCaptureTimeBecomesSilenceAndTheTimelineGoesOn() throws {
    let core = try SteppedCore()
    core.run(near: syntheticSpeech(seconds: 0.5, seed: 1))
    core.loseFrames(2_500)
    core.run(near: syntheticSpeech(seconds: 0.5, seed: 1))
    let steps = zip(core.uplink, core.uplink.dropFirst()).map { $1.timestamp - $0.timestamp }
    #expect(steps.allSatisfy { (960..<1_920).contains($0) })
    #expect(steps.count { $0 != 960 } <= 1)
    #expect(core.uplink.count * 960 >= core.captureFrames - 2_400)
    #expect(core.counters.capture_gaps == 1)
  }

  /// A packet leaves with the block that completes it, before and after a hole.
  @Test(arguments: [0, 1_200, 2_500, 480_001])
  func aPacketNeverWaitsForAnotherBlock(lost: Int) throws {
    let core = try SteppedCore()
    core.run(blocks: 20)
    if lost > 0 { core.loseFrames(lost) }
    core.run(blocks: 20)
    let last = try #require(core.uplink.last)
    // Canceller, suppression and band split 670, codec 312; then the packet ends where the block does.
    let age = core.captureFrames - Int(last.timestamp) - 960
    #expect([982, 982 + 480].contains(age), "the newest packet ends \(age) frames ago")
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
