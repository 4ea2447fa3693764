@testable import VoiceEngine

/// A square wave as plain samples, 10 ms a packet, and its end: its first sample is loud, its length
/// known.
func tone(generation: UInt32, packets: Int, firstSequence: UInt32 = 0) -> [SpeechPacket] {
  var payload: [UInt8] = []
  for index in 0..<480 {
    let value: Int16 = index / 40 % 2 == 0 ? 8_000 : -8_000
    payload += withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
  let made = (0..<packets).map {
    SpeechPacket(
      generation: generation, sequence: firstSequence + UInt32($0), timestamp: 0, participant: 0,
      kind: .pcm16, payload: payload)
  }
  let end = SpeechPacket(
    generation: generation, sequence: firstSequence + UInt32(packets), timestamp: 0,
    participant: 0, kind: .end, payload: [])
  return made + [end]
}
