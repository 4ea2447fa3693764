import CVoiceDSP
import Foundation
import Testing

@Suite struct CodecTests {
  final class Encoder {
    let handle: OpaquePointer

    init(bitRate: Int32 = 24_000, loss: Int32 = 10) throws {
      var made: OpaquePointer?
      try #require(vd_encoder_create(&made, bitRate, loss) == 0)
      handle = try #require(made)
    }

    deinit { vd_encoder_destroy(handle) }

    func encode(_ signal: [Float]) -> [[UInt8]] {
      let frame = Int(VD_FRAME_SAMPLES)
      return stride(from: 0, through: signal.count - frame, by: frame).map { start in
        [UInt8](unsafeUninitializedCapacity: Int(VD_PACKET_PAYLOAD_MAX)) { buffer, used in
          let bytes = signal.withUnsafeBufferPointer {
            vd_encoder_encode(handle, $0.baseAddress! + start, buffer.baseAddress, buffer.count)
          }
          used = max(0, Int(bytes))
        }
      }
    }
  }

  final class Decoder {
    let handle: OpaquePointer
    let frame: Int

    init(rate: Int32) throws {
      var made: OpaquePointer?
      try #require(vd_decoder_create(&made, rate) == 0)
      handle = try #require(made)
      frame = Int(rate) / 50
    }

    deinit { vd_decoder_destroy(handle) }

    func decode(_ packet: [UInt8]?, fec: Bool = false) throws -> [Float] {
      var out = [Float](repeating: 0, count: frame)
      let samples = vd_decoder_decode(
        handle, packet, packet?.count ?? 0, fec ? 1 : 0, &out, out.count)
      try #require(samples == frame)
      return out
    }
  }

  @Test func speechSurvivesTheRoundTripAt48Kilohertz() throws {
    let signal = Signal.voice(seconds: 2)
    let decoder = try Decoder(rate: 48_000)
    let heard = try Encoder(bitRate: 32_000).encode(signal).flatMap { try decoder.decode($0) }
    let match = Signal.match(heard, to: signal, lags: 0..<960, over: 9_600..<76_800)
    #expect(match.decibels > 8, "\(match)")
  }

  @Test func aToneComesOutOfThe16KilohertzDecoderAtItsPitch() throws {
    let signal = Signal.tone(440, rate: 48_000, count: 96_000)
    let decoder = try Decoder(rate: 16_000)
    let heard = try Encoder().encode(signal).flatMap { try decoder.decode($0) }
    let reference = Signal.tone(440, rate: 16_000, count: 32_000)
    let match = Signal.match(heard, to: reference, lags: 0..<320, over: 8_000..<24_000)
    #expect(match.decibels > 10, "\(match)")
  }

  /// How much nearer a lost frame comes to what was sent when the next packet's redundancy is used
  /// than when it is made up: total error power, concealed over recovered.
  private func gainOfRecovery(loss: Int32) throws -> Double {
    let packets = try Encoder(loss: loss).encode(Signal.voice(seconds: 6))
    let whole = try Decoder(rate: 16_000)
    let sent = try packets.map { try whole.decode($0) }
    var concealedError = 0.0
    var recoveredError = 0.0
    let concealing = try Decoder(rate: 16_000)
    let recovering = try Decoder(rate: 16_000)
    for index in packets.indices {
      let isLost = index % 9 == 5 && index + 1 < packets.count
      let made = try concealing.decode(isLost ? nil : packets[index])
      let recovered =
        try isLost
        ? recovering.decode(packets[index + 1], fec: true) : recovering.decode(packets[index])
      if isLost {
        concealedError += Signal.power(zip(sent[index], made).map { $0 - $1 })
        recoveredError += Signal.power(zip(sent[index], recovered).map { $0 - $1 })
      }
    }
    return concealedError / recoveredError
  }

  @Test func redundancyRecoversALostPacketBetterThanConcealment() throws {
    let gain = try gainOfRecovery(loss: 20)
    #expect(gain > 1.5, "error power of concealment over recovery: \(gain)")
  }

  @Test func withoutRedundancyThereIsNothingToRecover() throws {
    let gain = try gainOfRecovery(loss: 0)
    #expect(abs(gain - 1) < 0.05, "error power of concealment over recovery: \(gain)")
  }

  @Test func silenceIsStillSentAsWholePackets() throws {
    let packets = try Encoder().encode([Float](repeating: 0, count: 96_000))
    #expect(packets.count == 100)
    #expect(packets.allSatisfy { $0.count > 2 }, "no DTX: each frame carries a real packet")
  }

  @Test func resetForgetsTheSignal() throws {
    let signal = Signal.voice(seconds: 1)
    let encoder = try Encoder()
    let first = encoder.encode(signal)
    let continued = encoder.encode(signal)
    vd_encoder_reset(encoder.handle)
    let again = encoder.encode(signal)
    #expect(first == again)
    #expect(first != continued, "the control: without the reset the past is in the packets")
  }

  @Test func garbageFromTheNetworkIsRefusedAndHarmless() throws {
    let decoder = try Decoder(rate: 16_000)
    var generator = SplitMix(seed: 7)
    var out = [Float](repeating: 0, count: 320)
    var refused = 0
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      let result = vd_decoder_decode(decoder.handle, bytes, bytes.count, 0, &out, out.count)
      #expect(result == 320 || result == -EBADMSG)
      if result != 320 { refused += 1 }
    }
    #expect(refused > 500)
    #expect(vd_decoder_decode(decoder.handle, [1], 0, 0, &out, out.count) == -EBADMSG)
    #expect(vd_decoder_decode(decoder.handle, nil, 0, 0, &out, 319) == -ENOBUFS)
  }

  @Test func impossibleSettingsAreRefused() {
    var made: OpaquePointer?
    #expect(vd_encoder_create(&made, 100, 5) == -EINVAL)
    #expect(vd_encoder_create(&made, 24_000, 101) == -EINVAL)
    #expect(vd_decoder_create(&made, 44_100) == -EINVAL)
    #expect(made == nil)
  }
}
