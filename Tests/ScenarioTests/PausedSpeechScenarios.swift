import Simulation
import Testing

/// People who pause, of whom the bench of the turns tries 200.
@Suite(.onScenarioThread) struct PausedSpeechScenarios {
  @Test(arguments: PausedSpeech.Kind.allCases)
  func whoPausesIsHeardOutAndAnsweredOnce(kind: PausedSpeech.Kind) throws {
    let held = try PausedSpeech.hold(seed: Scenario.seeds[0], kind, count: 3)
    #expect(held.count == 3)
    #expect(held.wrong.isEmpty)
    #expect((held.takenBack > 0) == (kind == .takenBack))
  }

  /// The control: where every pause is taken for the end, people are cut off.
  @Test func whoeverTakesEveryPauseForTheEndCutsPeopleOff() throws {
    let held = try PausedSpeech.hold(seed: 1, .judged, count: 4, isAlwaysSure: true)
    #expect(held.cutOffEarly > 0)
  }

  @Test(arguments: [0, 20, 100])
  func aCutTakesEffectWithinARoundTrip(latency: Int) throws {
    let cut = try CutTiming.measure(
      seed: Scenario.seeds[0], latency: .milliseconds(latency))
    // The voice fades, and a block of 10 ms and the speaker's buffer are on their way: 39 to 46 ms seen.
    #expect(cut.silence <= 50)
    #expect(cut.modelStopped <= Double(2 * latency) + 30)
    #expect(cut.told <= Double(2 * latency) + 30)
  }

  /// The control: who cannot be heard cannot interrupt.
  @Test func inHalfDuplexNothingIsCut() {
    #expect(throws: CutTiming.NoCut.self) {
      try CutTiming.measure(seed: 1, latency: .zero, isHalfDuplex: true)
    }
  }
}
