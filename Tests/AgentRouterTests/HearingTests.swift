import Providers
import Testing

@testable import AgentRouter

/// Tracks of windows of 32 ms: `#` speech, `-` not a sound while the detector still hears speech,
/// `~` a murmur that is neither silent nor loud in the same place, `.` silence.
@Suite struct HearingTests {
  /// What the recogniser of the one utterance of a track is told, samples left out.
  private func told(_ track: String) async throws -> [String] {
    var hearing = Hearing(TurnConfiguration())
    var audio: Inbox<Hearing.Piece>?
    for (index, character) in track.enumerated() {
      let level: Int16 = character == "#" ? 8_000 : character == "~" ? 120 : 0
      let samples = (0..<512).map { $0 % 2 == 0 ? level : -level }
      _ = hearing.take(
        first: UInt64(index * 512), samples: samples, probability: character == "." ? 0.05 : 0.9)
      audio = audio ?? hearing.listening?.audio
    }
    _ = hearing.end()
    var pieces: [String] = []
    while let piece = try await audio?.next() {
      switch piece {
      case .samples: break
      case .quieted: pieces.append("quieted")
      case .paused(let number): pieces.append("paused \(number)")
      case .resumed: pieces.append("resumed")
      }
    }
    return pieces
  }

  @Test func silenceIsSeenBeforeTheDetectorIsSure() async throws {
    #expect(try await told("####--....") == ["quieted", "paused 1"])
  }

  @Test func whoGoesOnBeforeTheDetectorIsSureIsHeardToGoOn() async throws {
    #expect(
      try await told("####--##--...") == ["quieted", "resumed", "quieted", "paused 1"])
  }

  @Test func whoGoesOnAfterAPauseIsHeardToGoOnOnce() async throws {
    #expect(
      try await told("####-...###....") == ["quieted", "paused 1", "resumed", "paused 2"])
  }

  @Test func aMurmurChangesNothing() async throws {
    #expect(try await told("####~~~~#...") == ["paused 1"])
    #expect(try await told("####-~~...") == ["quieted", "paused 1"])
  }

  @Test func anUtteranceFullOfGapsWaitsForTheDetectorInTheEnd() async throws {
    let gaps = String(repeating: "-#", count: 40)
    let heard = try await told("####" + gaps + "....")
    #expect(heard.count { $0 == "quieted" } == Hearing.quietsAtMost)
    #expect(heard.last == "paused 1")
  }
}
