import Testing

@testable import VoiceEngine

@Suite struct RecordingTimelineTests {
  @Test func theFileBeginsWithTheFirstBlock() {
    var timeline = RecordingTimeline()
    #expect(timeline.place(captureFrame: 9_600, count: 480) == .at(0))
    #expect(timeline.place(captureFrame: 10_080, count: 480) == .at(480))
    #expect(timeline.frames == 960)
    #expect(timeline.missingFrames == 0)
  }

  @Test func lostTimeStaysEmptyAndIsCounted() {
    var timeline = RecordingTimeline()
    _ = timeline.place(captureFrame: 0, count: 480)
    #expect(timeline.place(captureFrame: 3_480, count: 480) == .at(3_480))
    #expect(timeline.missingFrames == 3_000)
    #expect(timeline.frames == 3_960)
  }

  @Test func whatLiesInThePastIsLeftOut() {
    var timeline = RecordingTimeline()
    _ = timeline.place(captureFrame: 960, count: 480)
    #expect(timeline.place(captureFrame: 960, count: 480) == .past)
    #expect(timeline.place(captureFrame: 0, count: 480) == .past)
    #expect(timeline.frames == 480)
  }

  @Test func aFileEndsWhereItsHeaderCannotCount() {
    var timeline = RecordingTimeline()
    _ = timeline.place(captureFrame: 0, count: 480)
    let last = UInt64(RecordingTimeline.frameLimit - 480)
    #expect(timeline.place(captureFrame: last + 1, count: 480) == .full)
    #expect(timeline.place(captureFrame: .max, count: 480) == .full)
    #expect(timeline.place(captureFrame: last, count: 480) == .at(Int(last)))
    #expect(timeline.frames * 4 + 36 <= Int(UInt32.max))
  }
}
