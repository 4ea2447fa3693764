import CVoiceDSP
import Foundation
import Testing

/// What a device would send, and what a listener makes of packets.
enum DeviceVoice {
  /// A voice-like signal: a gliding tone with four overtones, in syllables.
  static func signal(seconds: Double, rate: Double) -> [Float] {
    var phase = 0.0
    return (0..<Int(seconds * rate)).map { index in
      let time = Double(index) / rate
      phase += 2 * .pi * (140 + 30 * sin(6 * time)) / rate
      let overtones = sin(phase) + sin(3 * phase) + sin(5 * phase) / 2 + sin(9 * phase) / 4
      return Float(0.12 * (0.2 + max(0, sin(17 * time))) * overtones)
    }
  }

  static func pcm16(seconds: Double, rate: Double) -> [Int16] {
    signal(seconds: seconds, rate: rate).map { Int16($0 * 32_767) }
  }

  /// Packets of a signal at 48 kHz, as the core sends them.
  static func packets(seconds: Double, sequence: UInt32 = 0, timestamp: UInt32 = 0) throws
    -> [Packet]
  {
    var made: OpaquePointer?
    try #require(vd_encoder_create(&made, 24_000, 20) == 0)
    let encoder = try #require(made)
    defer { vd_encoder_destroy(encoder) }
    let signal = signal(seconds: seconds, rate: 48_000)
    return (0..<signal.count / 960).map { index in
      let payload = [UInt8](unsafeUninitializedCapacity: 1_276) { buffer, used in
        signal.withUnsafeBufferPointer {
          used = Int(
            vd_encoder_encode(encoder, $0.baseAddress! + index * 960, buffer.baseAddress, 1_276))
        }
      }
      return Packet(
        sequence: sequence &+ UInt32(index), timestamp: timestamp &+ UInt32(index * 960),
        payload: payload)
    }
  }

  /// Decodes packets one after the other; a missing one is concealed.
  static func decode(_ packets: [Packet?], rate: Int32) throws -> [Float] {
    var made: OpaquePointer?
    try #require(vd_decoder_create(&made, rate) == 0)
    let decoder = try #require(made)
    defer { vd_decoder_destroy(decoder) }
    let frame = Int(rate) / 50
    return packets.flatMap { packet in
      [Float](unsafeUninitializedCapacity: frame) { buffer, used in
        let bytes = packet?.payload
        let samples = vd_decoder_decode(
          decoder, bytes, bytes?.count ?? 0, 0, buffer.baseAddress, frame)
        used = max(0, Int(samples))
      }
    }
  }
}
