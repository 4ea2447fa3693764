import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// What is kept of a reply that is cut, against the recording of the room: every word has its own
/// pair of tones, and a listener that knows nothing of the product writes them down.
@Suite(.onScenarioThread) struct CutScenarios {
  private static let cuts = 12

  @Test(arguments: Scenario.seeds)
  func theWordsThatAreKeptAreTheWordsThatWereHeard(seed: UInt64) throws {
    var settings = WorldSettings()
    let cuts = try RandomCuts.make(seed: seed, count: Self.cuts, &settings)
    let wrong = cuts.filter { !$0.isTrue }
    #expect(cuts.count == Self.cuts)
    #expect(wrong.isEmpty, "VOICE_SEED=\(seed): \(wrong.map { "\($0.kept) of \($0.heard)" })")
    #expect(cuts.contains { $0.straddled != nil }, "no cut was inside a word")
  }

  /// The control: a voice that does not tell where its words end is guessed by its letters, and the
  /// guess is a word off now and then.
  @Test func withoutTheVoicesTimesWordsAreMissedOrInvented() throws {
    var settings = WorldSettings()
    settings.voiceTellsWords = false
    let cuts = try RandomCuts.make(seed: 1, count: Self.cuts, &settings)
    #expect(cuts.contains { !$0.isTrue })
  }
}
