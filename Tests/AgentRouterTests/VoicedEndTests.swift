import Testing

@testable import AgentRouter

/// Windows of 512 samples at 16 kHz, loud up to a sample and then at another level.
@Suite struct VoicedEndTests {
  private func windows(loudSamples: Int, count: Int, rest: Int16) -> VoicedEnd {
    var end = VoicedEnd()
    for window in 0..<count {
      let samples = (0..<512).map { index -> Int16 in
        window * 512 + index < loudSamples ? (index % 2 == 0 ? 8_000 : -8_000) : rest
      }
      end.take(first: UInt64(window * 512), samples: samples)
    }
    return end
  }

  @Test(arguments: [513, 700, 1_023, 1_024])
  func theEndIsFoundWithinItsWindow(loudSamples: Int) {
    let refined = windows(loudSamples: loudSamples, count: 2, rest: 10).refined(1_024)
    #expect(refined >= loudSamples && refined < loudSamples + 16)
  }

  @Test func aDetectorThatHungOnIsDatedBack() {
    #expect(windows(loudSamples: 512, count: 3, rest: 0).refined(3 * 512) == 512)
  }

  @Test func aLoudRoomLeavesTheDetectorsWindow() {
    #expect(windows(loudSamples: 600, count: 2, rest: 100).refined(1_024) == 1_024)
  }

  @Test func nothingHeardLeavesTheDetectorsWindow() {
    #expect(VoicedEnd().refined(77) == 77)
  }
}
