import CVoiceDSP

/// The sound of the microphone's packets, for who listens on this device.
///
/// Role: one executor; not for the audio thread.
public final class PacketSound {
  /// Samples per second of what is handed out.
  public static let rate = 16_000

  private let decoder: OpaquePointer

  /// - Throws: ``AudioError`` when there is no memory.
  public init() throws(AudioError) {
    var decoder: OpaquePointer?
    let result = vd_decoder_create(&decoder, Int32(Self.rate))
    guard result == 0, let decoder else {
      throw AudioError(
        code: .coreFailed,
        message: "No decoder could be made (error \(-result)). Free some memory and try again.")
    }
    self.decoder = decoder
  }

  deinit {
    vd_decoder_destroy(decoder)
  }

  /// 20 ms of sound as 320 samples; silence for a packet that cannot be read.
  public func samples(of packet: SpeechPacket) -> [Int16] {
    let count = Self.rate / 50
    switch packet.kind {
    case .opus: return decoded(packet.payload, count)
    case .pcm16:
      // 48 kHz. The mean of three: a detector of speech does not hear what that leaves above 8 kHz.
      return (0..<min(count, packet.payload.count / 6)).map { index in
        let sum = (0..<3).reduce(0) { sum, part in
          let low = packet.payload[6 * index + 2 * part]
          let high = packet.payload[6 * index + 2 * part + 1]
          return sum + Int(Int16(bitPattern: UInt16(low) | UInt16(high) << 8))
        }
        return Int16(sum / 3)
      }
    case .end: return []
    }
  }

  private func decoded(_ payload: [UInt8], _ count: Int) -> [Int16] {
    var samples = [Float](repeating: 0, count: count)
    let made = vd_decoder_decode(decoder, payload, payload.count, 0, &samples, count)
    guard made == count else { return [Int16](repeating: 0, count: count) }
    return samples.map { Int16(max(-32_768, min(32_767, $0 * 32_768))) }
  }
}
