/// A soft rustling by syllables that the doctor plays where it may: like speech it has all pitches and
/// no period, so its echo tells how late it comes.
struct TestSound {
  /// Generation of its packets: the doctor's device plays nothing else.
  private static let generation: UInt32 = 1
  private static let blockFrames = 480
  /// Of 23 blocks so many sound: four syllables a second.
  private static let period = 23
  private static let sounding = 16

  private var random: UInt32 = 2_463_534_242
  private var low: Float = 0
  private var sequence: UInt32 = 0

  /// -0.5 to 0.5 (xorshift).
  private mutating func noise() -> Float {
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return Float(random) / 4_294_967_296 - 0.5
  }

  /// The next 10 ms, at -28 dBFS while it sounds.
  mutating func packet() -> SpeechPacket {
    let loudness: Float = Int(sequence) % Self.period < Self.sounding ? 0.5 : 0
    var payload: [UInt8] = []
    payload.reserveCapacity(2 * Self.blockFrames)
    for _ in 0..<Self.blockFrames {
      let noise = noise()
      low += 0.15 * (noise - low)
      let value = Int16((loudness * (low + 0.1 * noise) * 32_767).rounded())
      payload += withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    defer { sequence += 1 }
    return SpeechPacket(
      generation: Self.generation, sequence: sequence, timestamp: 0, participant: 0, kind: .pcm16,
      payload: payload)
  }

  /// What ends it.
  func end() -> SpeechPacket {
    SpeechPacket(
      generation: Self.generation, sequence: sequence, timestamp: 0, participant: 0, kind: .end,
      payload: [])
  }
}
