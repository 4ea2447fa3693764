import CVoiceDSP
import CallTransport
import Testing

struct MediaFrameTests {
  @Test func everyKindSurvivesTheWire() throws {
    let frames = [
      MediaFrame(
        kind: .opus, participant: 0x1234, generation: 0x8765_4321, sequence: .max,
        timestamp: 0x0102_0304, payload: [1, 2, 3]),
      MediaFrame(kind: .pcm16, sequence: 0, timestamp: 960, payload: [0, 255]),
      MediaFrame(kind: .end, generation: 7, sequence: 9, timestamp: 48_000),
      MediaFrame(
        kind: .opus, sequence: 1, timestamp: 1,
        payload: Array(repeating: 9, count: MediaFrame.maximumPayloadBytes)),
    ]
    for frame in frames {
      #expect(try MediaFrame(decoding: frame.encoded()) == frame)
    }
  }

  @Test func theHeaderIsLittleEndianAsInTheContract() throws {
    let frame = MediaFrame(
      kind: .opus, participant: 0x0201, generation: 0x0403_0201, sequence: 0x0807_0605,
      timestamp: 0x0C0B_0A09, payload: [0xFF])
    #expect(
      try frame.encoded() == [1, 1, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xFF])
  }

  @Test func hostileBytesAreRefusedByRule() {
    let good: [UInt8] = [1, 1] + Array(repeating: 0, count: 14)
    func error(_ bytes: [UInt8]) -> MediaFrameError? {
      do {
        _ = try MediaFrame(decoding: bytes)
        return nil
      } catch {
        return error
      }
    }
    #expect(error([]) == .tooShort(bytes: 0))
    #expect(error(Array(good.dropLast())) == .tooShort(bytes: 15))
    #expect(error(Array(repeating: 1, count: 4097)) == .tooLong(bytes: 4097))
    #expect(error([2] + good.dropFirst() + [0]) == .unknownVersion(2))
    #expect(error([1, 0] + good.dropFirst(2)) == .unknownKind(0))
    #expect(error([1, 4] + good.dropFirst(2)) == .unknownKind(4))
    #expect(error(good) == .payloadNotAllowed(kind: .opus, bytes: 0))
    #expect(error([1, 2] + good.dropFirst(2) + [0]) == .payloadNotAllowed(kind: .pcm16, bytes: 1))
    #expect(error([1, 3] + good.dropFirst(2) + [0]) == .payloadNotAllowed(kind: .end, bytes: 1))
    #expect(error(good + [0]) == nil)
  }

  @Test func anyBytesEitherDecodeToThemselvesOrAreRefused() throws {
    let seed: UInt64 = 0x5EED
    var generator = SplitMix(state: seed)
    var decoded = 0
    for _ in 0..<20_000 {
      let count = Int(generator.next() % 40)
      var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      if count > 2, generator.next() % 2 == 0 {
        bytes[0] = 1
        bytes[1] = UInt8(generator.next() % 5)
      }
      if let frame = try? MediaFrame(decoding: bytes) {  // Refusal is one of the two outcomes.
        decoded += 1
        #expect(try frame.encoded() == bytes, "seed \(seed)")
      }
    }
    #expect(decoded > 1000)
  }

  @Test func aFrameTooLongForTheWireIsNotWritten() {
    let frame = MediaFrame(
      kind: .opus, sequence: 0, timestamp: 0,
      payload: Array(repeating: 0, count: MediaFrame.maximumPayloadBytes + 1))
    #expect(throws: MediaFrameError.tooLong(bytes: 4097)) { try frame.encoded() }
  }

  @Test func aPacketOfTheCoreSurvivesBothConversions() throws {
    let frame = MediaFrame(
      kind: .opus, participant: 3, generation: 4, sequence: 5, timestamp: 6,
      payload: Array(0..<200))
    let packet = try #require(frame.packet)
    #expect(MediaFrame(packet) == frame)
    var wrong = packet
    wrong.kind = 9
    #expect(MediaFrame(wrong) == nil)
  }

  @Test func aPayloadLongerThanAPacketHoldsIsNoPacket() {
    let frame = MediaFrame(
      kind: .pcm16, sequence: 0, timestamp: 0, payload: Array(repeating: 0, count: 1920))
    #expect(frame.packet == nil)
  }
}

/// The generator of Steele, Lea and Flood (2014), for repeatable random input.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
