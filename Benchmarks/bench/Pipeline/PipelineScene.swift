import CVoiceCore
import CVoiceDSP
import Foundation

/// What both sides of the pipeline bench hear: the agent's packets and a microphone with a person,
/// the agent's echo and a noise floor.
struct PipelineScene: Sendable {
  /// Between writing a block and hearing it; the drift converter's own 16 frames are in it.
  static let playDelayFrames = 1_440
  static let converterFrames = Int(VD_ASRC_TAPS) / 2
  static let echoDelayFrames = 480
  static let bitRate: Int32 = 24_000
  static let lossPct: Int32 = 10

  let packets: [vd_packet]
  let microphone: [Float]
  let isRealSpeech: Bool
  var blocks: Int { microphone.count / 480 }

  /// - Parameter seconds: even number of seconds of audio.
  init(seconds: Int) throws {
    let count = seconds * 48_000
    // Without fixtures a synthetic voice does: the work hardly depends on the words.
    let agent = try? Self.speech(from: "questions.json", count: count)
    let person = try? Self.speech(from: "dictation.json", count: count)
    isRealSpeech = agent != nil && person != nil
    let far = agent ?? Self.syntheticSpeech(count: count, pitch: 190)
    let near = person ?? Self.syntheticSpeech(count: count, pitch: 110)
    packets = try Self.encode(far)
    let heard = try Self.decode(packets)
    var state: UInt64 = 1
    let delay = 480 + Self.playDelayFrames + Self.echoDelayFrames
    microphone = (0..<count).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648 * 0.0005
      let echo = index >= delay ? 0.3 * heard[index - delay] : 0
      // The person talks for four seconds of eight.
      let voice = index / 48_000 % 8 < 4 ? near[index] : 0
      return voice + echo + noise
    }
  }

  private static func speech(from list: String, count: Int) throws -> [Float] {
    struct Entry: Decodable { let file: String }
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(Places.fixtures)/\(list)"))
    let clips = try JSONDecoder().decode([Entry].self, from: data)
      .flatMap { try readWave("\(Places.fixtures)/\($0.file)") }
    guard !clips.isEmpty else { throw BenchFailure("\(list) names no clips.") }
    return (0..<count).map { clips[$0 % clips.count] }
  }

  private static func syntheticSpeech(count: Int, pitch: Double) -> [Float] {
    (0..<count).map { index in
      let time = Double(index) / 48_000
      let syllable =
        max(0, sin(2 * .pi * 4 * time)) * (time.truncatingRemainder(dividingBy: 3) < 2 ? 1 : 0)
      let harmonics = (1...8).reduce(0.0) {
        $0 + sin(2 * .pi * pitch * Double($1) * time) / Double($1)
      }
      return Float(0.05 * syllable * harmonics)
    }
  }

  private static func encode(_ speech: [Float]) throws -> [vd_packet] {
    var encoder: OpaquePointer?
    guard vd_encoder_create(&encoder, bitRate, lossPct) == 0 else {
      throw BenchFailure("No Opus encoder could be made.")
    }
    defer { vd_encoder_destroy(encoder) }
    return try stride(from: 0, to: speech.count, by: 960).map { start in
      var packet = vd_packet()
      packet.generation = 1
      packet.sequence = UInt32(start / 960)
      packet.timestamp = UInt32(start)
      packet.kind = UInt8(VD_PACKET_OPUS)
      let bytes = speech[start..<start + 960].withUnsafeBufferPointer { frame in
        withUnsafeMutableBytes(of: &packet.payload) {
          vd_encoder_encode(
            encoder, frame.baseAddress, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
        }
      }
      guard bytes > 0 else { throw BenchFailure("The encoder refused a frame (\(bytes)).") }
      packet.bytes = UInt16(bytes)
      return packet
    }
  }

  private static func decode(_ packets: [vd_packet]) throws -> [Float] {
    var decoder: OpaquePointer?
    guard vd_decoder_create(&decoder, 48_000) == 0 else {
      throw BenchFailure("No Opus decoder could be made.")
    }
    defer { vd_decoder_destroy(decoder) }
    var frame = [Float](repeating: 0, count: 960)
    return packets.flatMap { packet in
      withUnsafeBytes(of: packet.payload) {
        _ = vd_decoder_decode(
          decoder, $0.bindMemory(to: UInt8.self).baseAddress, Int(packet.bytes), 0, &frame, 960)
      }
      return frame
    }
  }
}

/// What one side made of the scene.
struct PipelineResult: Equatable {
  var speaker: [Float] = []
  var uplink: [[UInt8]] = []
}
