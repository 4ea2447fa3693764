import Testing

@testable import Providers

@Suite struct WorkerFrameTests {
  private static let frames = [
    WorkerFrame(kind: .control, request: 0, payload: Array(#"{"type":"ready"}"#.utf8)),
    WorkerFrame.audio([1, -2, .max, .min], request: 7),
    WorkerFrame(kind: .text, request: .max, payload: []),
  ]

  @Test func layoutIsLengthKindRequestPayloadInLittleEndian() {
    let frame = WorkerFrame(kind: .text, request: 0x0102_0304, payload: [0xAA, 0xBB])
    #expect(frame.encoded == [7, 0, 0, 0, 3, 4, 3, 2, 1, 0xAA, 0xBB])
  }

  @Test(arguments: 1...40)
  func framesSurviveAnySplittingOfThePipe(pieceBytes: Int) throws {
    let stream = Self.frames.flatMap(\.encoded)
    var decoder = WorkerFrameDecoder()
    var decoded: [WorkerFrame] = []
    for start in stride(from: 0, to: stream.count, by: pieceBytes) {
      decoder.append(Array(stream[start..<min(start + pieceBytes, stream.count)]))
      while let frame = try decoder.next() { decoded.append(frame) }
    }
    #expect(decoded == Self.frames)
  }

  @Test func samplesComeBackAsTheyWere() {
    #expect(
      WorkerFrame.audio([0, 1, -1, 256, .max, .min], request: 1).samples
        == [0, 1, -1, 256, .max, .min])
  }

  @Test(
    arguments: [
      [4, 0, 0, 0], [0, 0, 0, 0], [1, 0, 16, 0], [0xFF, 0xFF, 0xFF, 0xFF], [5, 0, 0, 0, 9],
      [5, 0, 0, 0, 0],
    ] as [[UInt8]])
  func impossibleBytesAreRefusedAsSoonAsTheyAreSeen(bytes: [UInt8]) {
    var decoder = WorkerFrameDecoder()
    decoder.append(bytes)
    #expect(throws: WorkerFrameError.self) { try decoder.next() }
  }

  @Test func theLongestFrameIsTaken() throws {
    let frame = WorkerFrame(
      kind: .audio, request: 1, payload: [UInt8](repeating: 3, count: WorkerFrame.longest - 5))
    var decoder = WorkerFrameDecoder()
    decoder.append(frame.encoded)
    #expect(try decoder.next() == frame)
    #expect(try decoder.next() == nil)
  }
}
