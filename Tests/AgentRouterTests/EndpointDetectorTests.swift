import Testing

@testable import AgentRouter

/// Tracks are written with one character a window of 32 ms: `#` speech, `+` between the two
/// thresholds, `.` silence.
@Suite struct EndpointDetectorTests {
  private static let window: UInt64 = 512

  private func events(_ track: String, silenceMilliseconds: UInt64 = 500)
    -> [EndpointDetector.Event]
  {
    var settings = EndpointDetector.Settings()
    settings.silence = silenceMilliseconds * 16
    var detector = EndpointDetector(settings: settings)
    return pauses(track, in: &detector).filter { event in
      if case .paused = event { return false }
      return event != .resumed
    }
  }

  private func pauses(_ track: String, in detector: inout EndpointDetector)
    -> [EndpointDetector.Event]
  {
    track.enumerated().compactMap { index, character in
      let probability: Float = character == "#" ? 0.9 : character == "+" ? 0.4 : 0.05
      return detector.hear(
        first: UInt64(index) * Self.window, count: Self.window, probability: probability)
    }
  }

  @Test func aPauseIsToldOnceAndSoIsItsEnd() {
    var detector = EndpointDetector()
    let heard = pauses("####..........####..#.......", in: &detector)
    #expect(
      heard == [
        .speechStarted(first: 0), .paused(number: 1), .resumed, .paused(number: 2), .resumed,
        .paused(number: 3),
      ])
  }

  /// A judgement that all is said ends the turn at once when its silence has passed, and one that
  /// something follows keeps it open for longer than the fixed silence.
  @Test func aJudgementChangesTheSilenceThatEndsTheTurn() {
    var detector = EndpointDetector()
    _ = pauses("####......", in: &detector)
    #expect(
      detector.wait(2_048, inPause: 1)
        == .turnEnded(
          EndpointDetector.Utterance(
            first: 0, lastVoiced: 4 * 512, decided: 10 * 512, voicedWindows: 4)))
    detector = EndpointDetector()
    _ = pauses("####......", in: &detector)
    #expect(detector.wait(32_000, inPause: 1) == nil)
    #expect(pauses(String(repeating: ".", count: 62), in: &detector) == [])
  }

  @Test func aJudgementOfAnEarlierPauseIsWorthNothing() {
    var detector = EndpointDetector()
    _ = pauses("####....###....", in: &detector)
    #expect(detector.wait(1_600, inPause: 1) == nil)
    _ = pauses("###", in: &detector)
    #expect(detector.wait(1_600, inPause: 2) == nil, "the person speaks")
  }

  @Test func whoGoesOnAfterAJudgementIsWaitedForAnew() {
    var detector = EndpointDetector()
    _ = pauses("####......", in: &detector)
    #expect(detector.wait(48_000, inPause: 1) == nil)
    let rest = pauses("###" + silence, in: &detector)
    guard case .turnEnded(let utterance) = rest.last else {
      Issue.record("no end of the turn")
      return
    }
    #expect(utterance.decided - utterance.lastVoiced == 16 * 512, "the fixed silence holds again")
  }

  @Test func aTimelineThatGoesBackStartsAnew() {
    var detector = EndpointDetector()
    _ = pauses("....####", in: &detector)
    let heard = pauses("####.......", in: &detector)
    #expect(heard == [.speechStarted(first: 0), .paused(number: 1)])
  }

  private let silence = String(repeating: ".", count: 20)

  @Test func aTurnIsDatedBackToItsLastVoicedWindow() {
    let heard = events("..####" + silence)
    let utterance = EndpointDetector.Utterance(
      first: 2 * 512, lastVoiced: 6 * 512, decided: 22 * 512, voicedWindows: 4)
    #expect(heard == [.speechStarted(first: 1_024), .turnEnded(utterance)])
  }

  @Test(arguments: [200, 500, 1_000])
  func theTurnEndsAfterTheSilenceAndAtMostOneWindowLater(milliseconds: UInt64) throws {
    let long = String(repeating: ".", count: 60)
    let heard = events("####" + long, silenceMilliseconds: milliseconds)
    guard case .turnEnded(let utterance) = try #require(heard.last) else {
      Issue.record("no end of the turn")
      return
    }
    let waited = utterance.decided - utterance.lastVoiced
    #expect(waited >= milliseconds * 16)
    #expect(waited < milliseconds * 16 + Self.window)
  }

  @Test func silenceAndClicksAreNoTurn() {
    #expect(events(silence + silence) == [])
    #expect(events("..#......#......#...." + silence) == [])
  }

  @Test func aWordAfterAClickStartsAtTheWord() {
    let heard = events("#......###" + silence)
    #expect(heard.first == .speechStarted(first: 7 * 512))
  }

  @Test func aPauseShorterThanTheSilenceIsPartOfTheTurn() {
    let heard = events("####.........####" + silence)
    #expect(heard.count == 2)
    let utterance = EndpointDetector.Utterance(
      first: 0, lastVoiced: 17 * 512, decided: 33 * 512, voicedWindows: 8)
    #expect(heard.last == .turnEnded(utterance))
  }

  @Test func probabilitiesBetweenTheThresholdsHoldTheTurnOpenButMoveNoTime() {
    let heard = events("####++++" + silence)
    let utterance = EndpointDetector.Utterance(
      first: 0, lastVoiced: 4 * 512, decided: 24 * 512, voicedWindows: 4)
    #expect(heard.last == .turnEnded(utterance))
  }

  @Test func nobodySpeaksForEver() throws {
    let heard = events(String(repeating: "#", count: 1_900))
    guard case .turnEnded(let utterance) = try #require(heard.dropFirst().first) else {
      Issue.record("no end of the turn")
      return
    }
    #expect(utterance.decided - utterance.first == 960_000)
  }
}
