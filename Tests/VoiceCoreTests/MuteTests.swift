import CVoiceCore
import CVoiceDSP
import Testing

@Suite struct MuteTests {
  private func payloads(_ packets: some Sequence<vd_packet>) -> [[UInt8]] {
    packets.map { packet in
      withUnsafeBytes(of: packet.payload) { Array($0.prefix(Int(packet.bytes))) }
    }
  }

  /// Two people, muted at the same moment: what leaves afterwards must not tell them apart.
  @Test func whatLeavesWhileMutedDoesNotDependOnTheMicrophone() throws {
    let left = try SteppedCore()
    let right = try SteppedCore()
    var muted: [[[UInt8]]] = []
    for (core, seed) in [(left, 1), (right, 2)] as [(SteppedCore, UInt64)] {
      let speech = syntheticSpeech(seconds: 2, seed: seed)
      core.run(near: Array(speech[..<48_000]))
      let sent = core.uplink.count
      core.isMuted = true
      core.run(near: Array(speech[48_000...]))
      muted.append(payloads(core.uplink[sent...]))
    }
    #expect(muted[0].count >= 49)
    #expect(muted[0] == muted[1])
    #expect(payloads(left.uplink.prefix(40)) != payloads(right.uplink.prefix(40)))
  }

  @Test func speechCapturedWhileMutedDoesNotLeaveAfterwards() throws {
    let left = try SteppedCore()
    let right = try SteppedCore()
    var sounds: [[Float]] = []
    for (core, seed) in [(left, 1), (right, 2)] as [(SteppedCore, UInt64)] {
      core.isMuted = true
      core.run(near: syntheticSpeech(seconds: 1, seed: seed))
      core.isMuted = false
      core.run(blocks: 100)
      sounds.append(try decoded(core.uplink))
    }
    // The canceller adds comfort noise of its own; a leak would be 40 dB above it.
    for sound in sounds { #expect(decibels(sound) < -70) }
  }

  @Test func metersAndDetectorSeeNothingWhileMuted() throws {
    let core = try SteppedCore()
    core.isMuted = true
    core.run(near: syntheticSpeech(seconds: 2, seed: 1))
    #expect(core.events(VC_EVENT_LEVELS).allSatisfy { $0.microphone_level == 0 })
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).isEmpty)
  }

  @Test func theMicrophoneReturnsAfterAnUnmute() throws {
    let core = try SteppedCore()
    core.isMuted = true
    core.run(blocks: 50)
    core.isMuted = false
    core.run(near: syntheticSpeech(seconds: 2, seed: 1))
    #expect(decibels(try decoded(core.uplink).suffix(48_000)) > -30)
  }
}
