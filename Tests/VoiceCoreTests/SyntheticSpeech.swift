import CVoiceCore
import CVoiceDSP
import Foundation

/// Speech-like sound: harmonics of a gliding pitch in syllables, with a little noise. One seed, one
/// voice.
func syntheticSpeech(seconds: Double, seed: UInt64, peak: Float = 0.5) -> [Float] {
  var random = seed &* 6_364_136_223_846_793_005 &+ 1
  var phase = 0.0
  let samples = (0..<Int(seconds * 48_000)).map { index -> Float in
    let time = Double(index) / 48_000
    let pitch = 110 + Double(seed % 5) * 17 + 25 * sin(2 * .pi * 0.9 * time)
    phase += 2 * .pi * pitch / 48_000
    var value = 0.0
    for harmonic in 1...18 { value += sin(phase * Double(harmonic)) / Double(harmonic) }
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    value += Double(Int64(bitPattern: random) >> 11) / 4e15 * 0.6
    return Float(value * max(0, sin(2 * .pi * 2.3 * time + Double(seed % 3))))
  }
  let loudest = samples.map(abs).max() ?? 1
  return samples.map { $0 / loudest * peak }
}

/// The packets of one generation of the agent's speech, with its end.
func packets(
  of speech: [Float], generation: UInt32 = 1, firstSequence: UInt32 = 0
) throws -> [vd_packet] {
  var encoder: OpaquePointer?
  guard vd_encoder_create(&encoder, 24_000, 10) == 0 else { throw CoreMissing() }
  defer { vd_encoder_destroy(encoder) }
  var made: [vd_packet] = []
  for start in stride(from: 0, to: speech.count - 959, by: 960) {
    var packet = vd_packet()
    packet.generation = generation
    packet.sequence = firstSequence + UInt32(made.count)
    packet.timestamp = UInt32(start)
    packet.kind = UInt8(VD_PACKET_OPUS)
    let bytes = withUnsafeMutableBytes(of: &packet.payload) { payload in
      vd_encoder_encode(
        encoder, Array(speech[start..<start + 960]),
        payload.baseAddress?.assumingMemoryBound(to: UInt8.self), payload.count)
    }
    packet.bytes = UInt16(bytes)
    made.append(packet)
  }
  var end = vd_packet()
  end.generation = generation
  end.sequence = firstSequence + UInt32(made.count)
  end.kind = UInt8(VD_PACKET_END)
  return made + [end]
}

/// What a receiver hears of packets of the uplink, from timestamp 0 on.
func decoded(_ packets: [vd_packet]) throws -> [Float] {
  var decoder: OpaquePointer?
  guard vd_decoder_create(&decoder, 48_000) == 0 else { throw CoreMissing() }
  defer { vd_decoder_destroy(decoder) }
  var sound: [Float] = []
  for packet in packets {
    var frame = [Float](repeating: 0, count: 960)
    _ = withUnsafeBytes(of: packet.payload) { payload in
      vd_decoder_decode(
        decoder, payload.baseAddress?.assumingMemoryBound(to: UInt8.self), Int(packet.bytes), 0,
        &frame, frame.count)
    }
    sound += frame
  }
  return sound
}

/// Root mean square in dBFS.
func decibels(_ sound: some Collection<Float>) -> Double {
  let power = sound.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, sound.count))
  return 10 * log10(power + 1e-12)
}

/// The lag in samples at which `late` resembles `sound` best.
func bestLag(of late: [Float], behind sound: [Float], within range: ClosedRange<Int>) -> Int {
  var best = (lag: range.lowerBound, score: -Double.infinity)
  for lag in range {
    var score = 0.0
    for index in stride(from: 4_800, to: min(sound.count, late.count) - 4_800, by: 2) {
      score += Double(sound[index]) * Double(late[index + lag])
    }
    if score > best.score { best = (lag, score) }
  }
  return best.lag
}

struct CoreMissing: Error {}
