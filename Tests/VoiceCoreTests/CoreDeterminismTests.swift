import CVoiceCore
import CVoiceDSP
import Testing

@Suite struct CoreDeterminismTests {
  private func transcript(seed: UInt64) throws -> [UInt8] {
    let core = try SteppedCore(echoGain: 0.5)
    core.run(
      near: syntheticSpeech(seconds: 2, seed: seed),
      packets: try packets(of: syntheticSpeech(seconds: 1, seed: 3)))
    var bytes: [UInt8] = []
    core.written.withUnsafeBytes { bytes += Array($0) }
    for packet in core.uplink {
      withUnsafeBytes(of: packet.payload) { bytes += Array($0.prefix(Int(packet.bytes))) }
    }
    for event in core.events {
      bytes += [UInt8(event.kind)]
      withUnsafeBytes(of: event.timestamp) { bytes += Array($0) }
      withUnsafeBytes(of: event.microphone_level) { bytes += Array($0) }
    }
    return bytes
  }

  @Test func sameInputGivesTheSameOutputBitForBit() throws {
    #expect(try transcript(seed: 1) == transcript(seed: 1))
  }

  @Test func anotherInputGivesAnotherOutput() throws {
    #expect(try transcript(seed: 1) != transcript(seed: 2))
  }
}
